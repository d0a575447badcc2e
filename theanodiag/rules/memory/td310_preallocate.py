"""TD310: a preallocation would spare the driver requests, and perhaps memory

What it finds
    The least `gpuarray.preallocate` with which the whole script runs in one block, where without it the allocation cache has to grow.

Why it matters
    Each time the cache grows it asks the driver, which takes long and synchronises the device; and its blocks fragment, since freed memory
    is never joined across two of them. One block taken at the start avoids both.

Example
    `THEANO_FLAGS=gpuarray.preallocate=812`: 812 MB at the start instead of 57 requests that add up to 1.1 GB.

What to do
    Set the flag as shown. It is a start, not a limit: the cache still grows past it if a later call needs more.

Limits
    Silent for scripts that reserve less than 64 MiB in all. Holds for the shapes that were seen. Only for libgpuarray on CUDA.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Figures, Finding, Fix, Severity
from ...memory.profile import Origin
from ...units import MIB, format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..subject import ScriptSubject

WORTH_IT = 64 * MIB
"""Below this, in bytes, growing costs nobody anything."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where a plan exists and the cache grows to more than `WORTH_IT`."""
    plan = s.preallocation
    if plan is None or plan.before.reserved_peak_bytes < WORTH_IT:
        return
    without, with_ = plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes
    flag = f"gpuarray.preallocate={plan.megabytes}"
    reserved = f"{format_bytes(with_)} reserved, {format_bytes(without)} without it"
    message = f"{flag} lets the script run without a further request to the driver: {reserved}"
    bounded = any(p.origin is Origin.BOUNDED for p in plan.after.functions.values())
    peak = max(plan.after.functions.values(), key=lambda p: p.figures.live_peak_bytes).figures
    after = Figures(peak.live_before_bytes, peak.live_peak_bytes, peak.live_after_bytes, with_)
    fix = Fix("preallocate", code=f"THEANO_FLAGS={flag}")
    yield Finding("TD310", Severity.INFO, Confidence.BOUNDED if bounded else Confidence.DERIVED, message, s.place(None), fix, after)


RULE = Rule(
    "TD310",
    "preallocate",
    check,
    __doc__,
    fires=lambda: subject(dot_script(1000, 8000), device(1_000_000_000)),
    silent=lambda: subject(dot_script(10, 100), device(1_000_000_000)),
)
