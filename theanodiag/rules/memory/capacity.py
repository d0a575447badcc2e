"""TD3: whether the script fits, what is largest at its peak, and the combined changes that make it fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...devices.profile import context_note
from ...findings import Change, Cost, Finding, Fix, FlagChange, LengthChange, PlanStep, Results, Severity, identifier, remark
from ...ir import Unknown
from ...memory.profile import LiveVariable
from ...memory.script import Call, Compile, Create, Event, GetValue, SetValue
from ...memory.simulate import simulate_figures
from ...plans.advice import plan as shorter_plan
from ...plans.batch import BatchPlan
from ...plans.chunking.code import code as chunk_code
from ...plans.chunking.plan import ChunkPlan
from ...plans.combined import CombinedStep
from ...plans.graphs.optimizer_state import is_used_alone, with_states
from ...plans.resize import ArgumentAxis, WhatIf, multiple_of
from ...plans.script_names import freeing
from ...plans.source_changes import setting, statement_of
from ...units import format_bytes
from ..base import rule
from ..examples import data_script, device, dot_script, picture_script, subject
from ..impact import change, confidence_of, deciding_peak, figures, saving, severity, sure
from ..numerics import to_float32
from ..subject import ScriptSubject
from .batches import batch_changes, batch_code, batch_cost, chunk_cost, chunks_in_words, names, table
from .training import large_states

NAMED = 4
"""Maximum number of variables listed by name, of those that cannot be cut for the same reason, or that have the same length."""


@rule(
    "TD301",
    "does-not-fit",
    fires=lambda: subject(dot_script(100, 2000), device(8_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
def does_not_fit(s: ScriptSubject) -> Iterator[Finding]:
    """TD301: the script does not fit on the device

    What it finds
        Finds the first request for device memory that the simulated allocator cannot serve on the given device. If the figures are only an
        upper bound, the script may still fit, so the finding is a warning, not an error.

    Why it matters
        The real job would end at this request with `Error allocating ... bytes of device memory (out of memory)`, perhaps hours after its
        start.

    Example
        `W = theano.shared(zeros((40000, 40000), 'float32'))` needs 6.4e9 bytes, which does not fit on a card of 4 GiB.

    What to do
        Try a smaller batch first: the finding's notes say which batch fits. Then check what is live at the peak. If the largest array there
        is data in a shared variable, load the data in chunks; if it is float64, convert it to float32. If reserved memory is far above live
        memory, increase `gpuarray.preallocate`.

    Limits
        theanodiag assumes a size for the CUDA context (see the context line of the report); `theanodiag doctor --calibrate` measures yours.
        The figures do not include arrays of unknown size (TD001). If theanodiag cannot simulate another batch, the finding names none.
    """
    available = s.device.available_bytes
    if s.process.fits is not False or available is None:
        return
    need = deciding_peak(s, s.process)
    failed = None if s.process.failed_function is None else s.script.functions[s.process.failed_function]
    bound = s.process.may_be_less(available)
    who = _who(s, s.process.failed_event, "may not fit" if bound else "does not fit", "may not fit" if bound else "do not fit")
    missing = max(0, need - available)
    short = f": {format_bytes(missing)} too few" if missing else ", but not in one piece of the size that is requested"
    most = "at most " if bound else ""
    message = (
        f"{who} {s.device.place}: the script needs {most}{format_bytes(need)}; {format_bytes(available)} are available for arrays{short}"
    )
    if s.process.refused and not missing:
        most = "at most " * s.process.bounded
        message = f"{s.process.failure}; the script needs {most}{format_bytes(need)} of {format_bytes(available)}"
    at_peak = s.profiled()[0][1].at_peak if s.profiled() else ()
    event = s.process.failed_event
    variable = s.script.shared[event.shared].site if isinstance(event, (Create, SetValue, GetValue)) else None
    largest = next((v.site for v in at_peak), None)
    place = s.place(failed.site if failed else variable or largest, failed.name if failed else None)
    plans = () if s.process.refused and not missing else (*_batch(s), *_not_planned(s))
    notes = (*_facts(s, need, available, at_peak), *filter(None, [context_note(s.device, need)]), *plans)
    level = Severity.WARNING if bound else Severity.ERROR
    yield Finding("TD301", level, confidence_of(s.process), message, place, notes=notes)


def _facts(s: ScriptSubject, need: int, available: int, at_peak: Sequence[LiveVariable]) -> Iterator[str]:
    """Yields lines: bytes needed, available and missing, the failed request, and the largest array."""
    sizes = {"needed": need, "available": available, "missing": max(0, need - available)}
    for name, size in sizes.items() if need > available else list(sizes.items())[:2]:
        yield f"{name:11}{format_bytes(size):12}{size} bytes"
    if s.process.failure:
        yield f"{'failed':11}{s.process.failure}"
    if at_peak:
        yield f"{'largest':11}{describe(at_peak[0])}"


def _who(s: ScriptSubject, event: Event | None, verdict: str, of_several: str) -> str:
    """The message that names the source of the failed request, followed by `verdict` or `of_several`."""
    if isinstance(event, (Call, Compile)):
        name = s.script.functions[event.function].name
        return f"{name} {verdict}" if isinstance(event, Call) else f"the constants of {name} {of_several}"
    if isinstance(event, (Create, SetValue, GetValue)):
        name = s.script.shared[event.shared].label
        return f"{'a copy of ' * isinstance(event, GetValue)}{name} {verdict}"
    if s.process.failed_function is not None:
        return f"{s.script.functions[s.process.failed_function].name} {verdict}"
    return f"even the memory that the back-end takes at its start {verdict}"


def _batch(s: ScriptSubject) -> Iterator[str]:
    """Yields a note on the simulated batches: the largest that fits, and the bytes that the next one needs."""
    plan = s.advice.batch
    if not isinstance(plan, BatchPlan):
        return
    sizes = {r.batch: r.live if s.device.is_host else r.reserved for r in plan.rows}
    alike = plan.largest is not None and format_bytes(sizes[plan.largest]) == format_bytes(sizes.get(plan.largest + 1, 0))
    needs = {batch: f"{size} bytes" if alike else format_bytes(size) for batch, size in sizes.items()}
    beside = next((k.plan.largest for k in s.advice.combined if isinstance(k.plan, BatchPlan) and k.plan.axes == plan.axes), None)
    if plan.largest is None and beside is not None:
        fit = f"{beside} fits with the other changes of TD307"
    elif plan.largest is None:
        fit = f"not even a batch of 1 fits, which needs {needs[1]}" if 1 in needs else "not even a batch of 1 fits"
    else:
        fit = f"{plan.largest} fits and needs {needs[plan.largest]}"
        fit += ", larger ones were not tried" if plan.capped else f", {plan.largest + 1} does not and needs {needs[plan.largest + 1]}"
    yield f"the batch is {plan.batch} ({names(s, plan.axes)}): {fit}"


def _not_planned(s: ScriptSubject) -> Iterator[str]:
    """Yields notes on why there is no batch or chunk plan, if that is known."""
    if isinstance(s.advice.batch, Unknown):
        yield f"the need of other batches is unknown: {s.advice.batch.reason}"
    reasons: dict[str, list[str]] = {}
    for name, why in s.advice.chunks if isinstance(s.advice.chunks, tuple) else ():
        reasons.setdefault(why, []).append(name)
    for why, refused in reasons.items():
        more = f" and {len(refused) - NAMED} more" if refused[NAMED:] else ""
        reason = re.sub(r"\bit\b", "each", why) if refused[1:] else why
        yield f"{', '.join(refused[:NAMED])}{more} cannot be cut into chunks: {reason}"


SHOWN = 5


def describe(v: LiveVariable) -> str:
    """Returns an array in one line: `W float32 (10, 10) 400 B shared`."""
    shape = tuple(v.shape) if isinstance(v.shape, tuple) else "?"
    array = f" {v.dtype} {shape}" if v.dtype else ""
    return f"{v.variable}{array} {format_bytes(v.nbytes)} {v.kind.value}"


@rule(
    "TD302",
    "largest-at-peak",
    fires=lambda: subject(dot_script(100, 2000), device(20_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
def largest_at_peak(s: ScriptSubject) -> Iterator[Finding]:
    """TD302: what takes most of the memory at the peak

    What it finds
        Finds the largest shared variables and intermediates that are live at the script's peak, if the peak takes at least half of the
        memory that the device has for arrays.

    Why it matters
        The error message of a failed allocation names the last request, but the cause is usually what else is live at that moment.

    Example
        The finding lists `W float32 (20000, 20000) 1.5 GiB shared` and `Elemwise{tanh} float32 (50000, 5000) 953.7 MiB intermediate`.

    What to do
        Begin with the largest array. Load data of a shared variable in chunks, or store the data as float32 or uint8. For a large
        intermediate, use a smaller batch.

    Limits
        The finding lists five arrays; the report contains all of them.
    """
    available = s.device.available_bytes
    if available is None or not s.process.functions:
        return
    function, profile = s.profiled()[0]
    peak = profile.figures.live_peak_bytes
    if 2 * peak < available or not profile.at_peak:
        return
    largest = profile.at_peak[:SHOWN]
    message = f"at the peak of {function.name} ({format_bytes(peak)}): " + "; ".join(describe(v) for v in largest)
    place = s.place(largest[0].site or function.site, function.name)
    yield Finding("TD302", Severity.INFO, sure(profile), message, place, minor=True)  # the text for people has a table of it


@rule(
    "TD307",
    "combined",
    fires=lambda: subject(data_script(50_000, 40_000), device(12_000_000)),
    silent=lambda: subject(data_script(50_000, 500), device(8_000_000)),
)
def combined(s: ScriptSubject) -> Iterator[Finding]:
    """TD307: several changes together make the script fit

    What it finds
        Finds several changes that together make a script fit, although none of them is enough alone: float32, garbage collection of
        intermediates, freeing models and variables, chunks of data, a smaller batch. Each change is simulated on top of the earlier ones.

    Why it matters
        If both the data and the intermediates exceed the card's memory, advice about only one of them is not sufficient.

    Example
        The finding says `a batch of 256, now 1024, then data in 4 chunks of 16000 of 60000 rows: 1.8 GiB instead of 5.0 GiB`.

    What to do
        Make all of these changes, in any order. The notes state how much memory the script needs after each step, and the cost of the step.

    Limits
        theanodiag tries the changes in the order of their individual savings, and shows the first combination that fits; another
        combination may need less memory. If the combination has both chunks of data and a smaller batch, the batch is halved as often as
        necessary. If several functions do not fit, each function gets the largest batch with which it is no longer the first to fail. As
        for TD303, a batch that divides the rows of the data is preferred if the script leaves out the rows that remain.
    """
    steps = s.advice.combined
    if not steps:
        return
    after = steps[-1].after
    message = f"no single change makes it fit, but these do together: {', then '.join(words(s, k) for k in steps)}: {change(s, after)}"
    flags = [k.flags for k in steps if k.flags]
    lines = [s.flags_variable.line(*flags)] if flags else []
    fix = Fix("all of them", code="\n".join((*lines, *(line for k in steps for line in _code(s, k)))))
    rows = tuple(
        PlanStep(words(s, k), _with_flags(s, steps[: n + 1]), deciding_peak(s, k.after), _cost(s, k), _changes(s, k))
        for n, k in enumerate(steps)
    )
    notes = tuple(f"after {k}: {format_bytes(step.after_bytes)}; {step.cost}" for k, step in enumerate(rows, 1))
    if s.device.available_bytes is not None:
        notes = (*notes, f"then it fits: {deciding_peak(s, after)} of {s.device.available_bytes} bytes")
    sure = confidence_of(s.process, *(k.after for k in steps))
    cost = Cost(
        _worst(rows),
        sum(step.cost.seconds for step in rows),
        "; ".join(step.cost.work for step in rows if step.cost.work),
    )
    done = figures(after)
    yield Finding("TD307", severity(s), sure, message, s.place(None), fix, done, saving(s, after), notes, cost=cost, steps=rows)


def _worst(steps: tuple[PlanStep, ...]) -> Results:
    """The effect of all steps on the results: that of the step latest in the order of `Results`."""
    return max((step.cost.results for step in steps), key=list(Results).index)


def words(s: ScriptSubject, step: CombinedStep) -> str:
    """Returns one step of a plan as text."""
    if isinstance(step.plan, BatchPlan):
        return f"a batch of {step.plan.largest}, now {step.plan.batch} ({names(s, step.plan.axes)})"
    if isinstance(step.plan, ChunkPlan):
        return "; ".join(chunks_in_words(s, c) for c in step.plan.chunks)
    return step.words


def _cost(s: ScriptSubject, step: CombinedStep) -> Cost:
    """The cost of a step."""
    if isinstance(step.plan, BatchPlan):
        return batch_cost(s, step.plan)
    if isinstance(step.plan, ChunkPlan):
        return chunk_cost(s, step.plan)
    return Cost(Results.LESS_PRECISE) if "floatX" in step.flags else Cost()


def _with_flags(s: ScriptSubject, steps: Sequence[CombinedStep]) -> str:
    """The code of the last step; its flags are set beside those of the steps before it."""
    flags = [step.flags for step in steps if step.flags] if steps[-1].flags else []
    return "\n".join((*([s.flags_variable.line(*flags)] if flags else []), *_code(s, steps[-1])))


def _code(s: ScriptSubject, step: CombinedStep) -> Iterator[str]:
    """The code of a step, without its flags."""
    if step.code:
        yield step.code
    if step.freed:
        yield freeing(step.freed, s.source)
    if isinstance(step.plan, BatchPlan):
        yield batch_code(s, step.plan, _batch_name(s, step))
    if isinstance(step.plan, ChunkPlan):
        yield chunk_code(s.script, step.plan, s.library, s.source)


def _batch_name(s: ScriptSubject, step: CombinedStep) -> str:
    """`batch_size`; for a second batch, with the name of its function."""
    first = next(k for k in s.advice.combined if isinstance(k.plan, BatchPlan))
    axes = step.plan.axes if isinstance(step.plan, BatchPlan) and step is not first else ()
    function = next((a.function for a in axes if isinstance(a, ArgumentAxis)), None)
    return "batch_size" if function is None else f"{identifier(s.script.functions[function].name, 'function')}_batch_size"


def _changes(s: ScriptSubject, step: CombinedStep) -> tuple[Change, ...]:
    """The step as changes of flags and of the script; empty if it has to be made by hand."""
    if isinstance(step.plan, BatchPlan):
        return batch_changes(s, step.plan)
    return tuple(to_float32(s)) if step.flags == "floatX=float32" else FlagChange.parse(step.flags)


@dataclass(frozen=True)
class _Words:
    """What is said about one kind of lengths."""

    most: str
    size: str
    fix: str
    name: str
    """Name for the length, where the script shows none."""
    meant: str
    """Pattern of names that scripts give to it."""
    cost: Cost
    """The cost if nothing is trained."""


WORDS = {
    "pictures": _Words(
        "largest", "are {0} x {0}", "shorter pictures", "side", "side|size|width|height|crop",
        Cost(Results.LESS_PRECISE, work="smaller pictures"),
    ),
    "sequences": _Words(
        "longest", "have {} steps", "shorter sequences", "steps", "step|len|time|frame", Cost(Results.APPROXIMATE, work="more calls")
    ),
    "layers": _Words(
        "widest", "have {} units", "fewer units", "units", "unit|hid|layer|dim|width|dense|n_out",
        Cost(Results.TRAINED_OTHERWISE, work="a smaller model"),
    ),
}  # fmt: skip
"""Kind of lengths -> what is said about it."""


@rule(
    "TD308",
    "shorter-inputs",
    fires=lambda: _on(8_000_000),
    silent=lambda: _on(800_000_000),
)
def shorter_inputs(s: ScriptSubject) -> Iterator[Finding]:
    """TD308: the largest pictures, the longest sequences or the widest layers that fit

    What it finds
        Finds the side lengths of square pictures, the time axes of Scans, or the units of the layer with the largest trained weights, in a
        script that fits with no smaller batch and with no chunks. The finding gives the greatest length with which the script fits.
        theanodiag simulates the script again with each length that it tries.

    Why it matters
        A single picture of style transfer, or a single sequence of ten thousand steps, can exceed the card's memory. A script with a single
        picture or sequence has no batch that could be reduced. The weights between a convolution and a dense layer, with their gradient
        and the optimiser's state, can take more than everything that depends on the batch.

    Example
        The finding says `the largest pictures that fit are 460 x 460 (photo:2, photo:3, art:2, art:3, picture:2, picture:3), now 600`.

    What to do
        Scale or crop the pictures. Split sequences into parts, and start each part with the last state of the previous one (truncated
        back-propagation). Give the layer fewer units, or pool more before it, which makes the same weights smaller. If the optimiser keeps
        state, a note gives the units that fit with plain gradient descent.

    Limits
        The units are those of all trained variables with an axis of that length, so layers of one width become narrower together. All
        pictures of a function must have equal height and width, or sides in a fixed proportion to these, and no weights of the net may
        depend on the size. If a net downsamples pictures and upsamples them again, the sides must be multiples of a number from 2 to 32.
        theanodiag finds this number by trial, and suggests only multiples of it. As for TD303, you must also change side lengths that the
        script contains as numbers.
    """
    advice = s.advice.shorter
    if advice is None:
        return
    plan, largest, after = advice.plan, advice.plan.largest, advice.plan.after
    if largest is None or after is None:
        return
    times = max(multiple_of(a) for a in plan.axes)
    alike = all(multiple_of(a) == times for a in plan.axes)
    axes = names(s, tuple(replace(a, multiple=1) if alike and isinstance(a, ArgumentAxis) else a for a in plan.axes[:NAMED]))
    axes += f" and {len(plan.axes) - NAMED} more" * (len(plan.axes) > NAMED)
    now, longest = plan.batch * times, largest * times
    words = WORDS[advice.kind]
    by = " by the upper bound" if s.process.bounded else ""
    message = f"the {words.most} {advice.kind} that fit{by} {words.size.format(longest)} ({axes}), now {now}"
    message += f": {change(s, after)}"
    if alike and times > 1:
        message += f"; each side is a multiple of {times}"
    if not plan.monotone:
        message += "; some smaller ones need more, since freed blocks fit worse"
    own = setting(s.source, now, longest, words.meant) or statement_of(s.source, now, longest) or f"{words.name} = {longest}"
    changes = (LengthChange(now, longest),)
    fix = Fix(words.fix, code=f"{own}  # was {now}: {remark(axes)}", changes=changes)
    trained = batch_cost(s, plan)
    cost = trained if trained.results is Results.TRAINED_OTHERWISE else words.cost
    rows, done = (*table(plan, s.process.bounded, times), *_beside_plain_descent(s, advice.kind)), figures(after)
    yield Finding(
        "TD308",
        severity(s),
        confidence_of(s.process, after),
        message,
        s.place(None),
        fix,
        done,
        saving(s, after),
        rows,
        cost=cost,
    )


def _beside_plain_descent(s: ScriptSubject, kind: str) -> Iterator[str]:
    """Yields a note on the widest layers that fit if the optimizer keeps no state either; none if that alone is enough."""
    optimizers = large_states(s) if kind == "layers" else []
    if not optimizers or not is_used_alone(s.script, optimizers[0]):
        return
    script = with_states(s.script, optimizers[0], 0)
    wider = shorter_plan(WhatIf(script), s.settings, simulate_figures(script, s.settings))
    if wider is not None and wider.kind == kind and wider.plan.after is not None:
        needed = format_bytes(deciding_peak(s, wider.plan.after))
        yield f"with plain gradient descent as well (TD327), layers of {wider.plan.largest} units fit: {needed}"


def _on(total: int) -> ScriptSubject:
    """A script with one picture of 800 x 800, on a device of `total` bytes."""
    return subject(picture_script(800), device(total))
