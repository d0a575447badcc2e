"""TD301: the script does not fit on the device

What it finds
    A request for device memory that the simulated allocator cannot serve on the given device: the first one, in the order of the script.

Why it matters
    The real job would end there with `Error allocating ... bytes of device memory (out of memory)`, perhaps hours after its start.

Example
    `W = theano.shared(zeros((40000, 40000), 'float32'))` is 6.4e9 bytes: it does not fit on a card of 4 GiB.

What to do
    Begin with the batch: the notes say what is fixed and what each row takes. Then look at what is live at the peak: a shared variable that
    holds data can be cut into chunks, float64 can become float32. A larger `gpuarray.preallocate` helps where reserved memory is far above
    live memory.

Limits
    We assume a size for the CUDA context, which the context line names; measure yours with `theanodiag doctor --calibrate`; sizes
    that depend on data are not counted. Where no other batch can be simulated, the arrays at the peak that have as many rows as
    the arguments are counted: others that grow with the batch are then among what is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...devices.profile import taken_off
from ...findings import Finding, Severity
from ...ir import Unknown
from ...memory.script import Call, Compile, Create, Event, GetValue, SetValue
from ...plans import bytes_per_row
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
MUCH_MORE = 2
"""If the arrays of one length take this many times what a plan's axes take, those axes are not the real batch.

The real batch size is then written into the graph, and only the labels can be made shorter.
"""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the whole script does not fit."""
    available = s.device.available_bytes
    if s.process.fits is not False or available is None:
        return
    need = deciding(s, s.process)
    failed = None if s.process.failed_function is None else s.script.functions[s.process.failed_function]
    who = _who(s, s.process.failed_event)
    missing = max(0, need - available)
    short = f", {format_bytes(missing)} less" if missing else ", but not in one piece of the size that is requested"
    message = f"{who} {s.device.place}: the script needs {format_bytes(need)}; {format_bytes(available)} are available for arrays{short}"
    if s.process.failure:
        message += f"; {s.process.failure}"
    at_peak = s.profiled()[0][1].at_peak if s.profiled() else ()
    if at_peak:
        message += f"; the largest array at the peak is {describe(at_peak[0])}"
    event = s.process.failed_event
    variable = s.script.shared[event.shared].site if isinstance(event, (Create, SetValue, GetValue)) else None
    largest = next((v.site for v in at_peak), None)
    place = s.place(failed.site if failed else variable or largest, failed.name if failed else None)
    notes = (*filter(None, [taken_off(s.device, need)]), *_batch(s, available), *_not_planned(s))
    yield Finding("TD301", Severity.ERROR, confidence_of(s.process), message, place, notes=notes)


def _who(s: ScriptSubject, event: Event | None) -> str:
    """What made the request that failed, as the beginning of a message."""
    if isinstance(event, (Call, Compile)):
        name = s.script.functions[event.function].name
        return f"{name} does not fit" if isinstance(event, Call) else f"the constants of {name} do not fit"
    if isinstance(event, (Create, SetValue, GetValue)):
        name = s.script.shared[event.shared].name or f"shared variable {event.shared}"
        return f"{'a copy of ' * isinstance(event, GetValue)}{name} does not fit"
    if s.process.failed_function is not None:
        return f"{s.script.functions[s.process.failed_function].name} does not fit"
    return "even what the back-end takes at its start does not fit"


def _batch(s: ScriptSubject, available: int) -> Iterator[str]:
    """Notes on how much the batch takes."""
    found = s.advice.batch
    planned = bytes_per_row.of_plan(found) if isinstance(found, BatchPlan) else None
    function, profile = s.profiled()[0] if s.profiled() else (None, None)
    counted = bytes_per_row.at_peak(function, s.script.calls(function.index)[profile.call], profile) if function and profile else None
    if isinstance(found, BatchPlan) and planned is not None and not (counted and counted.grown_bytes > MUCH_MORE * planned.grown_bytes):
        fit = f"{found.largest} rows fit" if found.largest is not None else "even one row does not fit beside the fixed part"
        yield f"the batch is {planned.batch} ({names(s, found.axes)}): {_line(planned)}; {fit}"
        return
    if counted is None or function is None:
        return
    rows = counted
    many = rows.fitting(available)
    about = f"about {many} rows fit" if many else "even one row does not fit beside the fixed part"
    yield (
        f"of {function.name}, arrays of {rows.batch} rows grow with the batch: {_line(rows)}; {about}. That length is written into the "
        "graph, or what depends on it is not known: change it where the script sets it, and check again"
    )


def _line(rows: bytes_per_row.BytesPerRow) -> str:
    return f"{format_bytes(rows.fixed_bytes)} fixed and {format_bytes(rows.row_bytes)} a row"


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
