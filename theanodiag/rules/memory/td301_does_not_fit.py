"""TD301: the script does not fit on the device

What it finds
    A request for device memory that the simulated allocator cannot serve on the given device: the first one, in the order of the script.
    Where the figures are an upper bound the script may fit all the same: then it is a warning.

Why it matters
    The real job would end there with `Error allocating ... bytes of device memory (out of memory)`, perhaps hours after its start.

Example
    `W = theano.shared(zeros((40000, 40000), 'float32'))` is 6.4e9 bytes: it does not fit on a card of 4 GiB.

What to do
    Begin with the batch: the notes say which one fits. Then look at what is live at the peak: a shared variable that holds data can be cut
    into chunks, float64 can become float32. A larger `gpuarray.preallocate` helps where reserved memory is far above live memory.

Limits
    We assume a size for the CUDA context, which the context line names; measure yours with `theanodiag doctor --calibrate`; sizes
    that depend on data are not counted. Batches are those that were simulated: where none can be, no number of rows is given.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...devices.profile import taken_off
from ...findings import Finding, Severity
from ...ir import Unknown
from ...memory.script import Call, Compile, Create, Event, GetValue, SetValue
from ...plans.batch import BatchPlan
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import confidence_of, deciding
from ..subject import ScriptSubject
from .td302_largest_at_peak import describe
from .td303_largest_batch import names

NAMED = 4
"""Number of variables listed by name that cannot be cut for one reason."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the whole script does not fit."""
    available = s.device.available_bytes
    if s.process.fits is not False or available is None:
        return
    need = deciding(s, s.process)
    failed = None if s.process.failed_function is None else s.script.functions[s.process.failed_function]
    bound = s.process.may_be_less(available)
    who = _who(s, s.process.failed_event, "may not fit" if bound else "does not fit", "may not fit" if bound else "do not fit")
    missing = max(0, need - available)
    short = f", {format_bytes(missing)} less" if missing else ", but not in one piece of the size that is requested"
    most = "at most " if bound else ""
    message = (
        f"{who} {s.device.place}: the script needs {most}{format_bytes(need)}; {format_bytes(available)} are available for arrays{short}"
    )
    if s.process.failure:
        message += f"; {s.process.failure}"
    at_peak = s.profiled()[0][1].at_peak if s.profiled() else ()
    if at_peak:
        message += f"; the largest array at the peak is {describe(at_peak[0])}"
    event = s.process.failed_event
    variable = s.script.shared[event.shared].site if isinstance(event, (Create, SetValue, GetValue)) else None
    largest = next((v.site for v in at_peak), None)
    place = s.place(failed.site if failed else variable or largest, failed.name if failed else None)
    notes = (*filter(None, [taken_off(s.device, need)]), *_batch(s), *_not_planned(s))
    level = Severity.WARNING if bound else Severity.ERROR
    yield Finding("TD301", level, confidence_of(s.process), message, place, notes=notes)


def _who(s: ScriptSubject, event: Event | None, verdict: str, of_several: str) -> str:
    """What made the request that failed, as the beginning of a message that ends with the verdict."""
    if isinstance(event, (Call, Compile)):
        name = s.script.functions[event.function].name
        return f"{name} {verdict}" if isinstance(event, Call) else f"the constants of {name} {of_several}"
    if isinstance(event, (Create, SetValue, GetValue)):
        name = s.script.shared[event.shared].name or f"shared variable {event.shared}"
        return f"{'a copy of ' * isinstance(event, GetValue)}{name} {verdict}"
    if s.process.failed_function is not None:
        return f"{s.script.functions[s.process.failed_function].name} {verdict}"
    return f"even what the back-end takes at its start {verdict}"


def _batch(s: ScriptSubject) -> Iterator[str]:
    """Note on which batches were simulated: the largest one that fits, and what the next one needs."""
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
        fit = f"not even 1 fits, which needs {needs[1]}" if 1 in needs else "not even 1 fits"
    else:
        fit = f"{plan.largest} fits and needs {needs[plan.largest]}"
        fit += ", larger ones were not tried" if plan.capped else f", {plan.largest + 1} does not and needs {needs[plan.largest + 1]}"
    yield f"the batch is {plan.batch} ({names(s, plan.axes)}): {fit}"


def _not_planned(s: ScriptSubject) -> Iterator[str]:
    """Notes on why there is no batch or chunk plan, where that is known."""
    if isinstance(s.advice.batch, Unknown):
        yield f"the need of other batches is unknown: {s.advice.batch.reason}"
    reasons: dict[str, list[str]] = {}
    for name, why in s.advice.chunks if isinstance(s.advice.chunks, tuple) else ():
        reasons.setdefault(why, []).append(name)
    for why, refused in reasons.items():
        more = f" and {len(refused) - NAMED} more" if refused[NAMED:] else ""
        yield f"{', '.join(refused[:NAMED])}{more} cannot be cut into chunks: {why}"


RULE = Rule(
    "TD301",
    "does-not-fit",
    check,
    __doc__,
    fires=lambda: subject(dot_script(100, 2000), device(8_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
