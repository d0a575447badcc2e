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

from ...findings import Finding, Fix, remark
from ...plans.axes import ArgumentAxis
from ...plans.batch import BatchPlan
from ...plans.chunking.code import code as chunk_code
from ...plans.chunking.plan import ChunkPlan
from ...plans.combined import CombinedStep
from ...units import format_bytes
from ..base import Rule
from ..examples import data_script, device, subject
from ..impact import change, confidence_of, deciding, figures, saving, severity
from ..subject import ScriptSubject
from .td303_largest_batch import names
from .td305_chunks import said


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding that lists all steps of the combination."""
    steps = s.advice.combined
    if not steps:
        return
    after = steps[-1].after
    message = f"no single change makes it fit, these together do: {', then '.join(words(s, k) for k in steps)}: {change(s, after)}"
    fix = Fix("all of them", code="\n".join(line for k in steps for line in _code(s, k)))
    notes = tuple(f"after {k}: {format_bytes(deciding(s, step.after))}; {_price(s, step)}" for k, step in enumerate(steps, 1))
    if s.device.available_bytes is not None:
        notes = (*notes, f"then it fits: {deciding(s, after)} of {s.device.available_bytes} bytes")
    sure = confidence_of(s.process, *(k.after for k in steps))
    yield Finding("TD307", severity(s), sure, message, s.place(None), fix, figures(after), saving(s, after), notes)


def words(s: ScriptSubject, step: CombinedStep) -> str:
    """One step in words."""
    if isinstance(step.plan, BatchPlan):
        return f"a batch of {step.plan.largest}, now {step.plan.batch} ({names(s, step.plan.axes)})"
    if isinstance(step.plan, ChunkPlan):
        return "; ".join(said(s, c) for c in step.plan.chunks)
    return step.words


def _price(s: ScriptSubject, step: CombinedStep) -> str:
    """What a step costs."""
    if isinstance(step.plan, BatchPlan):
        functions = {a.function for a in step.plan.axes if isinstance(a, ArgumentAxis)}
        trains = any(i.update is not None for f in functions for i in s.script.functions[f].graph.inputs)
        return "it trains otherwise" if trains else "the results are the same, in more calls"
    if isinstance(step.plan, ChunkPlan):
        bus = s.device.bus_bytes_per_second
        return f"copies take {step.plan.seconds(bus)[0]:.3g} s an epoch" if bus else "data is copied in every epoch"
    return "results are less precise" if "floatX" in step.flags else "the results are the same"


def _code(s: ScriptSubject, step: CombinedStep) -> Iterator[str]:
    if step.flags:
        yield f"{s.library.upper()}_FLAGS={step.flags}"
    if step.code:
        yield step.code
    if isinstance(step.plan, BatchPlan):
        yield f"batch_size = {step.plan.largest}  # was {step.plan.batch}: {remark(names(s, step.plan.axes))}"
    if isinstance(step.plan, ChunkPlan):
        yield chunk_code(s.script, step.plan, s.library)


RULE = Rule(
    "TD307",
    "combined",
    check,
    __doc__,
    fires=lambda: subject(data_script(50_000, 40_000), device(12_000_000)),
    silent=lambda: subject(data_script(50_000, 500), device(8_000_000)),
)
