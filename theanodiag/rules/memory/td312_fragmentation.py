"""TD312: memory is lost to fragmentation

What it finds
    Scripts for which the driver has to give clearly more than with a preallocation, since the allocation cache holds free pieces of which
    none is large enough. Both are simulated: with the flags as they are, and with the preallocation of TD310.

Why it matters
    libgpuarray's cache never gives a block back and never joins free memory across two blocks. A request that fits into no single piece
    takes a new block, though more than enough is free. One block taken at the start cannot be torn into blocks. Without cause in sight,
    "out of memory" then comes after the tenth batch, or where a second function is called.

Example
    `347.3 MiB are taken from the driver, 160.0 MiB with gpuarray.preallocate=156`: batches that grow from call to call.

What to do
    Set the flag as shown; or call with the largest batch first, so that later ones find pieces that are large enough.

Limits
    Silent below 16 MiB, and below a twentieth of what is reserved. Holds for the shapes that were seen. Only for libgpuarray on CUDA. Where
    a driver puts its blocks is documented nowhere: where it matters the finding has the range.
    Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`find_best`, `allocate`, `cuda_free`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Figures, Finding, Fix, Saving, Severity
from ...memory.profile import most_scattered
from ...memory.simulate import reserved_range
from ...units import MIB, format_bytes
from ..base import Rule
from ..examples import device, more_rows_script, subject
from ..impact import confidence_of
from ..subject import ScriptSubject

WORTH_IT = 16 * MIB
"""Smaller losses in bytes are not reported."""
SHARE = 20
"""Losses below one part in so many of the reserved bytes are not reported."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding, where the preallocation saves enough."""
    plan = s.preallocation
    if plan is None:
        return
    without, with_ = plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes
    lost = without - with_
    if lost < WORTH_IT or lost * SHARE < without:
        return
    flag = f"gpuarray.preallocate={plan.megabytes}"
    message = (
        f"{format_bytes(without)} are taken from the driver, {format_bytes(with_)} with {flag}: fragmentation loses {format_bytes(lost)}"
    )
    saved = plan.before.fits is False and plan.after.fits is True
    severity = Severity.WARNING if saved else Severity.INFO
    fix = Fix("take one block at the start", code=f"THEANO_FLAGS={flag}")
    peak = max((p.figures for p in plan.after.functions.values()), key=lambda f: f.live_peak_bytes)
    after = Figures(peak.live_before_bytes, peak.live_peak_bytes, peak.live_after_bytes, with_)
    notes = (*_worst(s), *_range(s))
    yield Finding("TD312", severity, confidence_of(plan.before), message, s.place(None), fix, after, Saving(lost), notes)


def _worst(s: ScriptSubject) -> Iterator[str]:
    """Note on the step with the most scattered free bytes."""
    steps = [(step, f.name) for f, p in s.profiled() for step in (most_scattered(p.timeline),) if step and step.scattered_bytes]
    if steps:
        step, name = max(steps, key=lambda pair: pair[0].scattered_bytes)
        free, largest = format_bytes(step.free_bytes), format_bytes(step.largest_free_bytes)
        yield f"{name}, step {step.step}: {free} free, the largest piece {largest} ({step.fragmentation:.0%} scattered)"


def _range(s: ScriptSubject) -> Iterator[str]:
    """Note on how far the figures depend on where the driver places its blocks."""
    low, high = reserved_range(s.script, s.settings)
    if low != high:
        yield f"between {format_bytes(low)} and {format_bytes(high)}, depending on where the driver places its blocks"


RULE = Rule(
    "TD312",
    "fragmentation",
    check,
    __doc__,
    fires=lambda: subject(more_rows_script(1000, 10_000, 15_000, 20_000), device(1_000_000_000)),
    silent=lambda: subject(more_rows_script(1000, 20_000, 15_000, 10_000), device(1_000_000_000)),
)
