"""TD315: no second process fits beside this one's reservation

What it finds
    A script that fits, with a `gpuarray.preallocate` that leaves no room for another process of it on the card, though without the
    reservation several would fit.

Why it matters
    The reservation is taken when the process starts, whatever the script needs. A second one (another fold, a notebook that is still
    open, a web server's worker) is refused its own, and Theano goes on with the CPU, with no more than a line to tell of it.

Example
    `gpuarray.preallocate=0.9` on 4 GiB, for a script that needs 0.5 GiB: one process; without it five.

What to do
    Leave the flag out, or set it to a share for each: 0.4 for two.

Limits
    Each process has a context of its own, which counts. Others are taken to need what this one does. Only for libgpuarray on CUDA.
    Source: Theano 1.0.5, gpuarray/__init__.py (`init_dev`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Cost, Finding, Fix, FlagChange, Severity
from ...memory.settings import AllocatorKind
from ...memory.simulate import simulate
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..impact import confidence_of, figures, saving
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding where the reservation is what leaves no room for a second process."""
    available, own = s.device.available_bytes, s.device.context.bytes
    if s.settings.allocator is not AllocatorKind.GPUARRAY or s.settings.preallocate <= 0 or s.process.fits is not True or available is None:
        return
    if _processes(available, own, s.process.reserved_peak_bytes) > 1:
        return
    after = simulate(s.script, replace(s.settings, preallocate=0.0))
    many = _processes(available, own, after.reserved_peak_bytes)
    if many < 2:
        return
    now, then = format_bytes(s.process.reserved_peak_bytes), format_bytes(after.reserved_peak_bytes)
    message = f"gpuarray.preallocate={s.settings.preallocate:g} takes {now}, which leaves no room for a second process; "
    message += f"without it each takes {then}, and {many} fit on the device"
    fix = Fix("reserve nothing", code="THEANO_FLAGS=gpuarray.preallocate=0", changes=(FlagChange("gpuarray.preallocate", "0"),))
    cost = Cost(work="requests to the driver while the cache grows")
    yield Finding(
        "TD315", Severity.INFO, confidence_of(after), message, s.place(None), fix, figures(after), saving(s, after), cost=cost
    )  # fmt: skip


def _processes(available: int, context: int, reserved: int) -> int:
    """How many processes fit that take so many bytes each beside their context; `available` is what the first has for arrays."""
    return (available + context) // max(1, reserved + context)


def _reserving(share: float) -> ScriptSubject:
    """A script of 12 MB on 4 GB, with that share reserved."""
    s = subject(dot_script(1000, 1000), device(4_000_000_000))
    settings = replace(s.settings, preallocate=share)
    return replace(s, settings=settings, process=simulate(s.script, settings))


RULE = Rule("TD315", "two-processes", check, __doc__, fires=lambda: _reserving(0.9), silent=lambda: _reserving(0.4))
