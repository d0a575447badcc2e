"""TD307: several changes together make the script fit

What it finds
    For a script that no single change makes fit: the changes (float32, garbage collection of intermediates, models and variables that are
    let go, chunks of data, a smaller batch) that do it together, each simulated on top of those before it.

Why it matters
    Data and intermediates each may be more than the card has; advice about one of them is then of no use alone.

Example
    `a batch of 256, now 1024, then data in 4 chunks of 16000 of 60000 rows: 1.8 GiB instead of 5.0 GiB`.

What to do
    All of it, in any order. The notes say what the script needs after each step, and what the step costs.

Limits
    Changes are tried in the order of what each saves alone, and the first combination that fits is shown: another one may need less.
    Where data is cut beside a smaller batch, the batch is the whole one halved as often as is needed. Where several functions do not fit,
    the batch of each is the largest with which another one fails first.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Change, Cost, Finding, Fix, FlagChange, LengthChange, Results, Step, remark
from ...plans.batch import BatchPlan
from ...plans.chunking.code import code as chunk_code
from ...plans.chunking.plan import ChunkPlan
from ...plans.combined import CombinedStep
from ...units import format_bytes
from ..base import Rule
from ..examples import data_script, device, subject
from ..impact import change, confidence_of, deciding, figures, saving, severity
from ..numerics.td401_float64_at_peak import to_float32
from ..subject import ScriptSubject
from .td303_largest_batch import batch_cost, names
from .td305_chunks import chunk_cost, said


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding that lists all steps of the combination."""
    steps = s.advice.combined
    if not steps:
        return
    after = steps[-1].after
    message = f"no single change makes it fit, these together do: {', then '.join(words(s, k) for k in steps)}: {change(s, after)}"
    fix = Fix("all of them", code="\n".join(line for k in steps for line in _code(s, k)))
    told = tuple(Step(words(s, k), "\n".join(_code(s, k)), deciding(s, k.after), _cost(s, k), _changes(s, k)) for k in steps)
    notes = tuple(f"after {k}: {format_bytes(step.after_bytes)}; {step.cost}" for k, step in enumerate(told, 1))
    if s.device.available_bytes is not None:
        notes = (*notes, f"then it fits: {deciding(s, after)} of {s.device.available_bytes} bytes")
    sure = confidence_of(s.process, *(k.after for k in steps))
    cost = Cost(_worst(told), sum(step.cost.seconds for step in told), "; ".join(step.cost.work for step in told if step.cost.work))
    done = figures(after)
    yield Finding("TD307", severity(s), sure, message, s.place(None), fix, done, saving(s, after), notes, cost=cost, steps=told)


def _worst(steps: tuple[Step, ...]) -> Results:
    """What all steps together do to the results: the last of them in the order of `Results`."""
    return max((step.cost.results for step in steps), key=list(Results).index)


def words(s: ScriptSubject, step: CombinedStep) -> str:
    """One step in words."""
    if isinstance(step.plan, BatchPlan):
        return f"a batch of {step.plan.largest}, now {step.plan.batch} ({names(s, step.plan.axes)})"
    if isinstance(step.plan, ChunkPlan):
        return "; ".join(said(s, c) for c in step.plan.chunks)
    return step.words


def _cost(s: ScriptSubject, step: CombinedStep) -> Cost:
    """What a step costs."""
    if isinstance(step.plan, BatchPlan):
        return batch_cost(s, step.plan)
    if isinstance(step.plan, ChunkPlan):
        return chunk_cost(s, step.plan)
    return Cost(Results.LESS_PRECISE) if "floatX" in step.flags else Cost()


def _code(s: ScriptSubject, step: CombinedStep) -> Iterator[str]:
    if step.flags:
        yield f"{s.library.upper()}_FLAGS={step.flags}"
    if step.code:
        yield step.code
    if isinstance(step.plan, BatchPlan):
        yield f"batch_size = {step.plan.largest}  # was {step.plan.batch}: {remark(names(s, step.plan.axes))}"
    if isinstance(step.plan, ChunkPlan):
        yield chunk_code(s.script, step.plan, s.library)


def _changes(s: ScriptSubject, step: CombinedStep) -> tuple[Change, ...]:
    """The step as changes of flags and of the script; none where a person has to make them."""
    if isinstance(step.plan, BatchPlan) and step.plan.largest is not None:
        return (LengthChange(step.plan.batch, step.plan.largest),)
    return tuple(to_float32(s)) if step.flags == "floatX=float32" else FlagChange.parse(step.flags)


RULE = Rule(
    "TD307",
    "combined",
    check,
    __doc__,
    fires=lambda: subject(data_script(50_000, 40_000), device(12_000_000)),
    silent=lambda: subject(data_script(50_000, 500), device(8_000_000)),
)
