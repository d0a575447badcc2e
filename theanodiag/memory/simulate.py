"""Simulates a script under given settings and returns the memory that the whole process and each function need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from ..ir import Unknown
from .call_frame import BranchAssumptions
from .execution_plan import DEVICE, HOST
from .gpu_lowering import Choice, lift
from .process_simulation import Simulator, higher
from .profile import ProcessProfile
from .script import Call, Event, Script
from .settings import AddressPolicy, AllocatorKind, MemorySettings
from .simulated_device import start
from .timeline import Simulated, SimulationRecording
from .xla.process import simulate as xla


def simulate(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Runs all events of `script` on one allocator. Returns the figures of the process and of each function.

    Host arrays are simulated if the allocator is `DIRECT` and no graph is for a device, otherwise device arrays. A request that does not
    fit is reported and served nevertheless, so that the total need becomes known. The arrays of several GPUs are added up. If an IfElse
    condition is unknown, all branches are tried, and the figures are the highest; the same applies to the possible placements of a host
    graph on a device (`settings.lift`).
    """
    if settings.allocator is AllocatorKind.XLA:
        profile = _by_xla(script, settings)
    else:
        profile = reduce(higher, (_all_branches(placed, settings) for placed in placements(script, settings)))
    if profile.fits is False and len(script.gpus) > 1:
        which = f"its arrays are on {len(script.gpus)} GPUs ({', '.join(script.gpus)}), and only their sum is simulated"
        profile = replace(profile, fits=Unknown(which))
    return replace(profile, simulated=Simulated(script, settings))


def simulate_figures(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Like `simulate`, but faster: without the state after each step and the buffers live at the peak, which comparisons do not need."""
    profile = simulate(script, replace(settings, detailed=False))
    return replace(profile, simulated=Simulated(script, settings))


def placements(script: Script, settings: MemorySettings) -> Iterator[Script]:
    """Yields the scripts to simulate: `script` itself, or, if `settings.lift` moves its host graphs to a device, one variant for each
    `Choice`.
    """
    if settings.lift and not on_device(script):
        yield from (lift(script, choice) for choice in Choice)
    else:
        yield script


def reserved_range(script: Script, settings: MemorySettings, process: ProcessProfile) -> tuple[int, int]:
    """Returns the lowest and highest reserved peak over all address policies of the driver, in bytes; `process` is the simulation under
    `settings`.

    No documentation describes where the driver places its blocks. The place matters only if two free blocks have the same size, because
    best fit then takes the lower address.
    """
    others = [replace(settings, address_policy=policy) for policy in AddressPolicy if policy is not settings.address_policy]
    peaks = [process.reserved_peak_bytes, *(simulate_figures(script, other).reserved_peak_bytes for other in others)]
    return min(peaks), max(peaks)


def _by_xla(script: Script, settings: MemorySettings) -> ProcessProfile:
    """Simulates XLA's process; on the host, functions of other linkers are simulated node by node and replace XLA's figures."""
    compiled = xla(script, settings)
    others = node_by_node(script, settings)
    if not others:
        return compiled
    plain = _all_branches(script, replace(settings, allocator=AllocatorKind.DIRECT))
    functions = {**compiled.functions, **{i: plain.functions[i] for i in others if i in plain.functions}}
    calls = {**compiled.calls, **{i: plain.calls[i] for i in others if i in plain.calls}}
    worse = max(plain, compiled, key=lambda process: process.live_peak_bytes)
    fits = next((p.fits for p in (plain, compiled) if p.fits is not True), True)
    return replace(worse, functions=functions, calls=calls, fits=fits)


def node_by_node(script: Script, settings: MemorySettings) -> list[int]:
    """Returns the indices of the functions that XLA does not compile, and that on the host run node by node under their own linkers."""
    return [f.index for f in script.functions if f.linker != "jax"] if settings.total_bytes is None else []


def _all_branches(script: Script, settings: MemorySettings) -> ProcessProfile:
    """The highest figures over several simulations of one script, which differ in the IfElse branches they assume.

    Further simulations let the calls with unknown conditions take all branches by turns: without `allow_gc` a function keeps what each
    branch computed until it takes that branch again, and the first time it takes one it may need more than later, so each branch is the
    last one in some simulation.
    """
    runs = list(lives(script, settings))
    straight = reduce(higher, (profile for life, profile in runs if not life.turns))
    by_turns = (profile for life, profile in runs if life.turns)
    return replace(reduce(higher, by_turns, straight), driver_requests=straight.driver_requests)


@dataclass(frozen=True)
class Life:
    """One simulation of a script, under fixed assumptions about IfElse conditions whose values are unknown."""

    script: Script
    """The script, with device graphs if it is for a device."""
    settings: MemorySettings
    """Settings of the simulation."""
    taken: int = 0
    """Which branches are assumed, as `BranchAssumptions.taken`."""
    turns: tuple[int, ...] = ()
    """Values of `taken` that the calls in `guessed` use in turn."""
    guessed: frozenset[tuple[int, int]] = frozenset()
    """Calls with unknown conditions: (function, number of the call)."""

    def run(self, recording: SimulationRecording | None = None) -> tuple[ProcessProfile, Simulator]:
        """Runs the simulation; returns its figures and the final state of the process. Every event is added to `recording` if there is
        one.
        """
        guesses = BranchAssumptions(self.taken, turns=self.turns)
        return _simulate(self.script, self.settings, guesses, dict.fromkeys(self.guessed, self.turns * 2), recording)


def lives(script: Script, settings: MemorySettings) -> Iterator[tuple[Life, ProcessProfile]]:
    """Yields simulations of a script under all assumptions about IfElse branches that are worth trying, with their figures.

    In some of them, calls with unknown conditions take all branches in turn. Without `allow_gc` a function keeps what each branch computed
    until it takes that branch again, and it may need more when it takes a branch for the first time. Each branch is therefore the last one
    in some simulation.
    """
    life = Life(script, settings)
    first, process = life.run()
    yield life, first
    if not process.guessed:
        return
    tries, guessed = process.guesses.worth_trying(), frozenset(process.guessed)
    others = [Life(script, settings, taken) for taken in tries[1:]]
    for life in (*others, *(Life(script, settings, turns=(*tries[k:], *tries[:k]), guessed=guessed) for k in range(len(tries)))):
        yield life, life.run()[0]


def _simulate(
    script: Script,
    settings: MemorySettings,
    guesses: BranchAssumptions,
    before: Mapping[tuple[int, int], Sequence[int]],
    recording: SimulationRecording | None,
) -> tuple[ProcessProfile, Simulator]:
    """Simulates the script once under the assumed branches; returns its figures and the final state of the process."""
    device = start(settings)
    watched = HOST if settings.allocator is AllocatorKind.DIRECT and not on_device(script) else DEVICE
    process = Simulator(script, settings, device, watched, guesses=guesses, before=before)
    if recording is not None:
        device = process.device = replace(device, store=recording.heap(device.store.allocator, device.driver))
        process.recorder = recording.recorder
    live, reserved = 0, device.store.allocator.reserved
    failed: Event | None = None
    failure = device.refused or _failure(process)
    for event in script.events:
        if recording is not None:
            recording.event(event)
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


def on_device(script: Script) -> bool:
    """Returns whether any value in the script's graphs has a device type."""
    return any(f.graph.on_device for f in script.functions)


def _failure(process: Simulator) -> str | None:
    shortage = process.device.driver.shortage
    return None if shortage is None else str(shortage)


def _fits(process: Simulator, failure: str | None) -> bool | Unknown:
    if failure is not None:
        return False
    for frame in process.frames.values():
        for unknown in frame.unknown.values():
            return Unknown(f"the size of {unknown.variable} is not known: {unknown.reason}")
    for shared, reason in process.unsized.items():
        return Unknown(f"the size of shared variable {process.script.shared[shared].name or shared} is not known: {reason}")
    return True
