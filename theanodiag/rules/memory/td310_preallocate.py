"""TD310: a preallocation would spare the driver requests, and perhaps memory

What it finds
    The least `gpuarray.preallocate` with which the whole script runs in one block, where without it the allocation cache has to grow, or
    where the one that is set does not fit. For the back-end before Theano 1.0 the same of `lib.cnmem`.

Why it matters
    Each time the cache grows it asks the driver, which takes long and synchronises the device; and its blocks fragment, since freed memory
    is never joined across two of them. One block taken at the start avoids both.

Example
    `THEANO_FLAGS=gpuarray.preallocate=812`: 812 MB at the start instead of 57 requests that add up to 1.1 GB.

What to do
    Set the flag as shown. It is a start, not a limit: the cache still grows past it if a later call needs more.

Limits
    Silent for scripts that reserve less than 64 MiB in all, and where it would spare neither memory nor a request. Holds for the shapes
    that were seen. Only for libgpuarray on CUDA. The least number of whole MB. Where the script fits as it is, 50 MiB stay free, below
    which Theano warns that cuDNN and cuBLAS may lack memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Cost, Finding, Fix, FlagChange, Severity
from ...plans.collection import is_off, with_collection
from ...plans.preallocate import PreallocationPlan
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import confidence_of, figures, saving
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the preallocation plan is worth a flag."""
    plan = s.preallocation
    if plan is None or not plan.recommended:
        return
    without, with_ = plan.before.reserved_peak_bytes, plan.after.reserved_peak_bytes
    flag = f"{plan.flag}={plan.megabytes}"
    reserved = f"{format_bytes(with_)} reserved, {format_bytes(without)} without it"
    message = f"{flag} serves the whole script with one request to the driver: {reserved}"
    fix = Fix("preallocate", code=f"THEANO_FLAGS={flag}", changes=FlagChange.parse(flag))
    level = Severity.WARNING if plan.cures else Severity.INFO
    notes = (*_price(plan), *_collection(s))
    gained = saving(s, plan.after) if without > with_ else None
    yield Finding("TD310", level, confidence_of(plan.after), message, s.place(None), fix, figures(plan.after), gained, notes, cost=Cost())


def _price(plan: PreallocationPlan) -> Iterator[str]:
    """Note on what the plan takes more, and what it spares."""
    more = plan.after.reserved_peak_bytes - plan.before.reserved_peak_bytes
    if more > 0 and plan.spared_requests > 0:
        n = plan.spared_requests
        yield f"it takes {format_bytes(more)} more, and spares {n} request{'s' * (n > 1)} to the driver, each of which stops the device"


def _collection(s: ScriptSubject) -> Iterator[str]:
    """Note on what keeping intermediates between calls would take."""
    if s.process.fits is not True or is_off(s.script, s.settings):
        return
    kept = with_collection(s.script, s.settings, False)
    more = kept.live_peak_bytes - s.process.live_peak_bytes
    yield f"allow_gc=False would {'fit' if kept.fits is True else 'not fit'}: {format_bytes(max(0, more))} more live at the peak"


RULE = Rule(
    "TD310",
    "preallocate",
    check,
    __doc__,
    fires=lambda: subject(dot_script(1000, 8000), device(1_000_000_000)),
    silent=lambda: subject(dot_script(10, 100), device(1_000_000_000)),
)
