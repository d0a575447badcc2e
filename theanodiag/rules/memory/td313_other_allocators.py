"""TD313: what JAX and PyTorch are to be told of the memory they may take

What it finds
    Functions that run through JAX or PyTorch (the linkers `jax` and `pytorch`) on a device: the share of it that they need.

Why it matters
    XLA takes three quarters of the device at its start and never more than its fraction: `XLA_CLIENT_MEM_FRACTION` is a cap, and a script
    above it fails though memory is free. `gpuarray.preallocate` is a start: its cache grows past it. PyTorch takes what it needs when it
    needs it, in segments that `PYTORCH_CUDA_ALLOC_CONF` shapes; it has no start and (by default) no cap.

Example
    `XLA_CLIENT_MEM_FRACTION=0.46` for a live peak of 5.1 GiB on 12 GiB.

What to do
    Set the variable in the environment before the framework is imported.

Limits
    What XLA needs is its own figure where it was asked, else an upper bound. PyTorch fuses and orders operations itself: the peak of the
    graph as it is captured is what its intermediates can amount to, not what they will.
    Sources: JAX's documentation, "GPU memory allocation" (XLA_PYTHON_CLIENT_MEM_FRACTION until 2025, XLA_CLIENT_MEM_FRACTION since);
    PyTorch's, "CUDA semantics, optimizing memory usage".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Severity
from ...memory.profile import Origin
from ...memory.settings import AllocatorKind
from ...units import format_bytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..subject import ScriptSubject

HEADROOM = 1.1
"""Recommended share of the device, as a multiple of the live peak."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each of XLA and PyTorch that runs a function."""
    total, live = s.device.total_bytes, s.process.live_peak_bytes
    linkers = {s.script.functions[f].linker for f in s.process.functions}
    if not total or not live:  # a script that failed before its first function needs nothing yet
        return
    share = min(0.95, -(-live * HEADROOM * 100 // total) / 100)
    if s.samples_there:
        pass  # the pool has to hold their arrays too, and what XLA takes beside those is not known
    elif s.settings.allocator is AllocatorKind.XLA:
        yield from _share(s, total)
    elif "jax" in linkers:
        message = f"XLA needs at most {share:g} of the device, for a live peak of {format_bytes(live)}"
        fix = Fix("set the environment variable", code=f"XLA_CLIENT_MEM_FRACTION={share:g}  # XLA_PYTHON_CLIENT_MEM_FRACTION for older JAX")
        yield Finding("TD313", Severity.INFO, Confidence.GUESSED, message, s.place(None), fix)
    if "pytorch" in linkers:
        message = f"PyTorch takes what it needs, here about {format_bytes(live)}; expandable segments fragment less"
        fix = Fix("set the environment variable", code="PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True")
        yield Finding("TD313", Severity.INFO, Confidence.GUESSED, message, s.place(None), fix)


def _share(s: ScriptSubject, total: int) -> Iterator[Finding]:
    """A finding with the smallest share of the device with which the simulated XLA pool refuses no request."""
    need = s.process.reserved_peak_bytes
    share, room = -(-need * 100 // total) / 100, total - s.device.context.bytes
    told = all(p.origin is Origin.DERIVED for p in s.process.functions.values())
    confidence = Confidence.DERIVED if told else Confidence.BOUNDED
    if not s.settings.xla_pool:
        return
    what = f"the script uses up to {format_bytes(need)} ({need} bytes) of XLA's pool"
    if share * total > room:
        return  # no share is enough: TD301
    cap = "XLA reserves its pool when it starts" if s.settings.xla_preallocate else "the pool never grows beyond that"
    message = f"{what}: a pool of {share:g} of the device is enough; {cap}"
    fix = Fix("set the environment variable", code=f"XLA_CLIENT_MEM_FRACTION={share:g}  # XLA_PYTHON_CLIENT_MEM_FRACTION for older JAX")
    severity = Severity.WARNING if s.process.fits is False else Severity.INFO
    yield Finding("TD313", severity, confidence, message, s.place(None), fix)


def _by_jax() -> ScriptSubject:
    script = dot_script(1000, 1000)
    return subject(replace(script, functions=tuple(replace(f, linker="jax") for f in script.functions)), device(100_000_000))


RULE = Rule(
    "TD313",
    "other-allocators",
    check,
    __doc__,
    fires=_by_jax,
    silent=lambda: subject(dot_script(1000, 1000), device(100_000_000)),
)
