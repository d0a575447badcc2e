"""The simulation: a script and settings in, the memory of the whole process and of each function out."""

from __future__ import annotations

from functools import reduce

from ..ir import TypeKind, Unknown
from ..units import format_bytes
from .context import start
from .lift import lift
from .lifting.inplace import Choice
from .process import Process
from .profile import ProcessProfile
from .program import DEVICE, HOST
from .ranges import higher
from .script import Call, Script
from .settings import AllocatorKind, MemorySettings


def simulate(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Run all events of `script` on one allocator.

    On the host (`AllocatorKind.DIRECT`, unless the script's graphs are for a device) the tensors are followed, else the device arrays.
    A request that does not fit is reported and served all the same, so that the need is known. Where a condition of an IfElse is not
    known both branches are tried, and the figures are the higher ones; so it is with the ways in which a graph of the host may come to be
    one of the device (`settings.lift`).
    """
    if not settings.lift or on_device(script):
        return _both_branches(script, settings)
    return reduce(higher, (_both_branches(lift(script, choice), settings) for choice in Choice))


def _both_branches(script: Script, settings: MemorySettings) -> ProcessProfile:
    first, guessed = _simulate(script, settings, otherwise=True)
    return higher(first, _simulate(script, settings, otherwise=False)[0]) if guessed else first


def _simulate(script: Script, settings: MemorySettings, otherwise: bool) -> tuple[ProcessProfile, bool]:
    """One run, and whether a branch was guessed."""
    device = start(settings)
    process = Process(script, settings, device, _watched(script, settings), otherwise=otherwise)
    live, reserved = 0, device.store.allocator.reserved
    failure, failed = device.refused, None
    for event in script.events:
        device.store.begin()
        process.on(event)
        live = max(live, device.store.peak)
        reserved = max(reserved, device.store.reserved_high)
        if failure is None and device.driver.shortage is not None:
            failure, failed = _failure(process), event.function if isinstance(event, Call) else None
    calls = {index: tuple(rows) for index, rows in process.calls.items()}
    persistent, fits = device.store.live, _fits(process, failure)
    guessed = any(frame.guessed for frame in process.frames.values())
    requests = device.store.allocator.driver_requests
    return ProcessProfile(process.best, live, reserved, persistent, fits, failure, failed, calls, requests), guessed


def _watched(script: Script, settings: MemorySettings) -> frozenset[TypeKind]:
    return HOST if settings.allocator is AllocatorKind.DIRECT and not on_device(script) else DEVICE


def on_device(script: Script) -> bool:
    """Whether any value of the script's graphs is of a device type."""
    return any(f.graph.on_device for f in script.functions)


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
