"""The simulation: a script and settings in, the memory of the whole process and of each function out."""

from __future__ import annotations

from ..ir import Unknown
from ..units import format_bytes
from .context import start
from .process import Process
from .profile import ProcessProfile
from .program import DEVICE, HOST
from .script import Call, Event, Script
from .settings import AllocatorKind, MemorySettings


def simulate(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Run all events of `script` on one allocator.

    On the host (`AllocatorKind.DIRECT`, unless the script's graphs are for a device) the tensors are followed, else the device arrays.
    A request that does not fit is reported and served all the same, so that the need is known.
    """
    device = start(settings)
    watched = HOST if settings.allocator is AllocatorKind.DIRECT and not on_device(script) else DEVICE
    process = Process(script, settings, device, watched)
    live = reserved = device.store.allocator.reserved
    live = 0
    failure, failed = device.refused, None
    for event in script.events:
        device.store.begin()
        process.on(event)
        live = max(live, device.store.peak, _peak_of(process, event))
        reserved = max(reserved, device.store.reserved_high)
        if failure is None and device.driver.shortage is not None:
            failure, failed = _failure(process), event.function if isinstance(event, Call) else None
    return ProcessProfile(
        process.best,
        live,
        max(reserved, device.store.allocator.reserved),
        device.store.live,
        _fits(process, failure),
        failure,
        failed,
        {index: tuple(calls) for index, calls in process.calls.items()},
    )


def on_device(script: Script) -> bool:
    """Whether any value of the script's graphs is of a device type."""
    return any(v.type.kind.on_device for f in script.functions for v in f.graph.variables)


def _peak_of(process: Process, event: Event) -> int:
    calls = process.calls.get(event.function) if isinstance(event, Call) else None
    return calls[-1].live_peak_bytes if calls else 0


def _failure(process: Process) -> str | None:
    shortage = process.device.driver.shortage
    if shortage is None:
        return None
    return (
        f"a request of {format_bytes(shortage.asked)} ({shortage.asked} bytes) does not fit: "
        f"{format_bytes(shortage.taken)} of {format_bytes(shortage.limit)} are taken"
    )


def _fits(process: Process, failure: str | None) -> bool | Unknown:
    if failure is not None:
        return False
    for frame in process.frames.values():
        for unknown in frame.unknown.values():
            return Unknown(f"the size of {unknown.variable} is not known: {unknown.reason}")
    for shared, reason in process.unsized.items():
        return Unknown(f"the size of shared variable {process.script.shared[shared].name or shared} is not known: {reason}")
    return True
