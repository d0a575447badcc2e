"""TD302: what the memory is taken by, where it is scarce

What it finds
    The largest shared variables and intermediates that are live at the highest point of the script, where that point takes at least half
    of what the device has for arrays.

Why it matters
    The message of a failed allocation names the last request, seldom the cause. The cause is what is live at that moment.

Example
    `W float32 (20000, 20000) 1.5 GiB shared; Elemwise{tanh} float32 (50000, 5000) 953.7 MiB intermediate`.

What to do
    Begin with the first line. Data in a shared variable: load it in chunks, or as float32 or uint8. Intermediates: a smaller batch.

Limits
    Names five buffers; the report has all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Severity
from ...memory.profile import LiveVariable
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import sure
from ..subject import ScriptSubject

SHOWN = 5


def describe(v: LiveVariable) -> str:
    """An array in one line: `W float32 (10, 10) 400 B shared`."""
    shape = tuple(v.shape) if isinstance(v.shape, tuple) else "?"
    array = f" {v.dtype} {shape}" if v.dtype else ""
    return f"{v.variable}{array} {format_bytes(v.nbytes)} {v.kind.value}"


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding, for the function with the highest peak."""
    available = s.device.available_bytes
    if available is None or not s.process.functions:
        return
    function, profile = s.profiled()[0]
    peak = profile.figures.live_peak_bytes
    if 2 * peak < available or not profile.at_peak:
        return
    largest = profile.at_peak[:SHOWN]
    message = f"at the peak of {function.name} ({format_bytes(peak)}): " + "; ".join(describe(v) for v in largest)
    yield Finding("TD302", Severity.INFO, sure(profile), message, s.place(largest[0].site or function.site, function.name))


RULE = Rule(
    "TD302",
    "largest-at-peak",
    check,
    __doc__,
    fires=lambda: subject(dot_script(100, 2000), device(20_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
