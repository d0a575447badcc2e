"""The simulation: a script and settings in, the memory of the whole process and of each function out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from ..ir import TypeKind, Unknown
from ..units import format_bytes
from .bounds_merge import higher
from .branch_assumptions import BranchAssumptions
from .context import start
from .execution_plan import DEVICE, HOST
from .gpu_lowering.inplace import Choice
from .gpu_lowering.lower import lift
from .process_simulation import Simulator
from .profile import ProcessProfile
from .script import Call, Event, Script
from .settings import AddressPolicy, AllocatorKind, MemorySettings
from .xla.process import simulate as xla


def simulate(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Run all events of `script` on one allocator.

    On the host (`AllocatorKind.DIRECT`, unless the script's graphs are for a device) the tensors are followed, else the device arrays.
    A request that does not fit is reported and served all the same, so that the need is known. Where a condition of an IfElse is not
    known all branches are tried, and the figures are the highest ones; so it is with the ways in which a graph of the host may come to be
    one of the device (`settings.lift`).
    """
    if settings.allocator is AllocatorKind.XLA:
        return _by_xla(script, settings)
    if not settings.lift or on_device(script):
        return _all_branches(script, settings)
    return reduce(higher, (_all_branches(lift(script, choice), settings) for choice in Choice))


def reserved_range(script: Script, settings: MemorySettings) -> tuple[int, int]:
    """Lowest and highest reserved peak over all address policies of the driver, in bytes.

    No documentation fixes where the driver places its blocks. It matters only where two free blocks have the same size: best fit then takes
    the lower address.
    """
    variants = [replace(settings, address_policy=policy, detailed=False) for policy in AddressPolicy]
    peaks = [simulate(script, variant).reserved_peak_bytes for variant in variants]
    return min(peaks), max(peaks)


def _by_xla(script: Script, settings: MemorySettings) -> ProcessProfile:
    """XLA's process; on the host, where other linkers run nodes one by one, what they need in theirs stands beside it."""
    compiled = xla(script, settings)
    others = [f.index for f in script.functions if f.linker != "jax"]
    if settings.total_bytes is not None or not others:
        return compiled
    plain = _all_branches(script, replace(settings, allocator=AllocatorKind.DIRECT))
    functions = {**compiled.functions, **{i: plain.functions[i] for i in others if i in plain.functions}}
    calls = {**compiled.calls, **{i: plain.calls[i] for i in others if i in plain.calls}}
    worse = max(plain, compiled, key=lambda process: process.live_peak_bytes)
    fits = next((p.fits for p in (plain, compiled) if p.fits is not True), True)
    return replace(worse, functions=functions, calls=calls, fits=fits)


def _all_branches(script: Script, settings: MemorySettings) -> ProcessProfile:
    """The highest figures of lives that differ in what they guess, and of such in which calls that guess take all branches by turns.

    Without `allow_gc` a function keeps what each of its branches computed until it takes that branch again, and the first time that it
    takes one it may need more than later: each is the last one in some life.
    """
    first, process = _simulate(script, settings, BranchAssumptions())
    if not process.guessed:
        return first
    tries = process.guesses.worth_trying()
    found = reduce(higher, (_simulate(script, settings, BranchAssumptions(taken))[0] for taken in tries[1:]), first)
    turns = [(*tries[k:], *tries[:k]) for k in range(len(tries))]
    by_turns = (_simulate(script, settings, BranchAssumptions(turns=turn), dict.fromkeys(process.guessed, turn * 2))[0] for turn in turns)
    return replace(reduce(higher, by_turns, found), driver_requests=found.driver_requests)


def _simulate(
    script: Script, settings: MemorySettings, guesses: BranchAssumptions, before: Mapping[tuple[int, int], Sequence[int]] | None = None
) -> tuple[ProcessProfile, Simulator]:
    """One life, and the process at its end."""
    device = start(settings)
    process = Simulator(script, settings, device, _watched(script, settings), guesses=guesses, before=before or {})
    live, reserved = 0, device.store.allocator.reserved
    failed: Event | None = None
    failure = device.refused or _failure(process)
    for event in script.events:
        device.store.begin()
        process.on(event)
        live = max(live, device.store.peak)
        reserved = max(reserved, device.store.reserved_high)
        if failure is None and device.driver.shortage is not None:
            failure, failed = _failure(process), event
    calls = {index: tuple(rows) for index, rows in process.calls.items()}
    live = max([live, *(row.live_peak_bytes for rows in calls.values() for row in rows)])
    reserved = max([reserved, *(row.reserved_bytes for rows in calls.values() for row in rows)])
    persistent, fits = device.store.live, _fits(process, failure)
    requests = device.store.allocator.driver_requests
    function = failed.function if isinstance(failed, Call) else None
    return ProcessProfile(process.best, live, reserved, persistent, fits, failure, function, failed, calls, requests), process


def _watched(script: Script, settings: MemorySettings) -> frozenset[TypeKind]:
    return HOST if settings.allocator is AllocatorKind.DIRECT and not on_device(script) else DEVICE


def on_device(script: Script) -> bool:
    """Whether any value of the script's graphs is of a device type."""
    return any(f.graph.on_device for f in script.functions)


def _failure(process: Simulator) -> str | None:
    shortage = process.device.driver.shortage
    if shortage is None:
        return None
    return (
        f"a request of {format_bytes(shortage.asked)} ({shortage.asked} bytes) does not fit: "
        f"{format_bytes(shortage.taken)} of {format_bytes(shortage.limit)} are taken"
    )


def _fits(process: Simulator, failure: str | None) -> bool | Unknown:
    if failure is not None:
        return False
    for frame in process.frames.values():
        for unknown in frame.unknown.values():
            return Unknown(f"the size of {unknown.variable} is not known: {unknown.reason}")
    for shared, reason in process.unsized.items():
        return Unknown(f"the size of shared variable {process.script.shared[shared].name or shared} is not known: {reason}")
    return True
