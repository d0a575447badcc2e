"""TD314: without the allocation cache the script fits

What it finds
    A script that does not fit since libgpuarray's cache asks for at least 4 MiB at a time and gives nothing back to the driver, and that
    fits where each array is a block of its own.

Why it matters
    What is live fits; what is lost lies in pieces of the cache.

Example
    `gpuarray.preallocate=-1`: 3.8 GiB instead of 4.3 GiB.

What to do
    Prefer a preallocation (TD310) where one fits: it costs no time. Without the cache each array is a request to the driver, which
    synchronises the device: expect clearly slower steps.

Limits
    Silent where a preallocation makes the script fit. The driver rounds blocks up in ways that are not documented, so leave some room.
    Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc`, `GA_CTX_DISABLE_ALLOCATION_CACHE`).
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Cost, Finding, Fix, FlagChange
from ..base import Rule
from ..examples import device, larger_value_script, subject
from ..impact import change, figures, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the script fits if only the cache is off."""
    after, plan = s.advice.uncached, s.preallocation
    if after is None or (plan is not None and plan.after.fits is True):
        return
    message = f"without the allocation cache the script fits, slower: {change(s, after)}"
    fix = Fix("no cache", code="THEANO_FLAGS=gpuarray.preallocate=-1", changes=(FlagChange("gpuarray.preallocate", "-1"),))
    cost = Cost(work="each array is a request to the driver, which stops the device")
    yield Finding("TD314", severity(s), Confidence.BOUNDED, message, s.place(None), fix, figures(after), saving(s, after), cost=cost)


RULE = Rule(
    "TD314",
    "without-cache",
    check,
    __doc__,
    fires=lambda: subject(larger_value_script(2000, 2400), device(40_000_000)),
    silent=lambda: subject(larger_value_script(2000, 2400), device(80_000_000)),
)
