"""The timeline of a script: every allocation with its address, every driver block, and the steps of each call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ..ops.arrays import Tag
from .script import Call, Event, Script
from .settings import AllocatorKind, MemorySettings


class Allocation(NamedTuple):
    """One served request, from the clock when it was taken to the clock when it was freed."""

    address: int
    requested: int
    """Bytes of the request."""
    held: int
    """Bytes that it occupies, the allocator's rounding included."""
    born: int
    """Clock when it was taken."""
    died: int | None
    """Clock when it was freed; None: never."""
    tag: Tag
    """What it is for."""
    span: int
    """Index in `Timeline.spans` of the event in which it was taken; -1: the start of the back-end."""

    def lives_at(self, clock: int) -> bool:
        """Whether the allocation is held at this clock."""
        return self.born <= clock and (self.died is None or self.died > clock)


class DriverBlock(NamedTuple):
    """A block that the allocator took from the driver."""

    address: int
    size: int
    """Bytes."""
    taken: int
    """Clock when it was taken."""
    returned: int | None
    """Clock when it was returned; None: never."""


class StepEnd(NamedTuple):
    """The end of one step of a call."""

    clock: int
    """Clock at the end."""
    node: int | None
    """Apply id; None for the arguments and for the end of a call."""


@dataclass(frozen=True)
class TimelineSpan:
    """One event of the script, and the range of clocks in which it changes memory: `start` + 1 to `end`."""

    event: Event
    """The event."""
    start: int
    """Clock before it."""
    end: int
    """Clock after it."""
    call: int | None = None
    """Number of the call of its function (0-based); None for other events."""
    steps: tuple[StepEnd, ...] = ()
    """Ends of the steps of a call."""

    def within(self, first: int, last: int) -> TimelineSpan:
        """The part of the event between the clocks `first` and `last`, with clocks counted from `first`."""
        steps = tuple(step._replace(clock=step.clock - first) for step in self.steps if first <= step.clock <= last)
        return replace(self, start=max(0, self.start - first), end=min(self.end, last) - first, steps=steps)

    @property
    def function(self) -> int | None:
        """Index of the function that is called; None for other events."""
        return self.event.function if isinstance(self.event, Call) else None


@dataclass(frozen=True)
class Timeline:
    """All memory events of one simulation. The clock counts requests and releases."""

    script: Script
    """The script as it was simulated, with device graphs."""
    allocator: AllocatorKind
    """The allocator that served the requests."""
    allocations: tuple[Allocation, ...]
    """All allocations, by the clock when they were taken."""
    blocks: tuple[DriverBlock, ...]
    """All driver blocks."""
    spans: tuple[TimelineSpan, ...]
    """All events of the script, in order."""
    end: int
    """The last clock."""

    @cached_property
    def live(self) -> tuple[int, ...]:
        """Live bytes at each clock from 0 to `end`."""
        return _summed(self.end, ((a.born, a.died, a.held) for a in self.allocations))

    @cached_property
    def reserved(self) -> tuple[int, ...]:
        """Bytes taken from the driver at each clock from 0 to `end`."""
        return _summed(self.end, ((b.taken, b.returned, b.size) for b in self.blocks))

    @property
    def live_peak_bytes(self) -> int:
        """The highest number of live bytes."""
        return max(self.live)

    @property
    def reserved_peak_bytes(self) -> int:
        """The highest number of reserved bytes."""
        return max(self.reserved)

    @cached_property
    def peak_clock(self) -> int:
        """The first clock with the most live bytes."""
        return self.live.index(self.live_peak_bytes)

    def at(self, clock: int) -> tuple[Allocation, ...]:
        """The allocations held at a clock, largest first."""
        return tuple(sorted((a for a in self.allocations if a.lives_at(clock)), key=lambda a: -a.held))

    def regions(self, clock: int) -> tuple[tuple[int, int], ...]:
        """(Address, size) of the driver blocks held at a clock, sorted; adjacent blocks of XLA's pool are merged."""
        rows = sorted((b.address, b.size) for b in self.blocks if b.taken <= clock and (b.returned is None or b.returned > clock))
        if self.allocator is not AllocatorKind.XLA:
            return tuple(rows)
        merged: list[tuple[int, int]] = []
        for address, size in rows:
            if merged and sum(merged[-1]) == address:
                address, size = merged[-1][0], merged.pop()[1] + size
            merged.append((address, size))
        return tuple(merged)

    def around_peak(self, most: int) -> Timeline:
        """The part of the timeline around the peak, with at most `most` changes; allocations live at its start exist from its clock 0
        on."""
        if self.end <= most:
            return self
        first = max(0, min(self.peak_clock - most // 2, self.end - most))
        last = first + most
        inside = [k for k, s in enumerate(self.spans) if s.end > first and s.start < last]
        place = {k: at for at, k in enumerate(inside)}
        spans = tuple(self.spans[k].within(first, last) for k in inside)
        kept = (a for a in self.allocations if a.born <= last and (a.died is None or a.died > first))
        allocations = tuple(
            a._replace(born=max(0, a.born - first), died=_earlier(a.died, first, last), span=place.get(a.span, -1)) for a in kept
        )
        blocks = tuple(
            b._replace(taken=max(0, b.taken - first), returned=_earlier(b.returned, first, last))
            for b in self.blocks if b.taken <= last and (b.returned is None or b.returned > first)
        )  # fmt: skip
        return replace(self, allocations=allocations, blocks=blocks, spans=spans, end=most)

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of the functions, by index."""
        return {f.index: f.name for f in self.script.functions}

    def title(self, span: TimelineSpan) -> str:
        """A short title of an event: `train, call 2`, `set W`."""
        event = span.event
        if isinstance(event, Call):
            return f"{self.names[event.function]}, call {(span.call or 0) + 1}"
        what = type(event).__name__.lower()
        function, shared = getattr(event, "function", None), getattr(event, "shared", None)
        if function is not None:
            return f"{what} {self.names[function]}"
        if shared is not None:
            variable = self.script.shared.get(shared)
            return f"{_SAID.get(what, what)} {(variable.name if variable else None) or f'shared variable {shared}'}"
        return _SAID.get(what, what)


_SAID = {"setvalue": "set", "getvalue": "get", "dropconstant": "drop a constant", "release": "release a result"}


@dataclass(frozen=True)
class Simulated:
    """The script and settings of a simulation, which `memory.replay.timeline` runs again with every event recorded."""

    script: Script
    settings: MemorySettings


def _earlier(clock: int | None, first: int, last: int) -> int | None:
    """`clock` counted from `first`; None if it is after `last`."""
    return None if clock is None or clock > last else clock - first


def _summed(end: int, rows: Iterable[tuple[int, int | None, int]]) -> tuple[int, ...]:
    """Total bytes at each clock up to `end`; `rows`: (first clock, clock of release or None, bytes)."""
    change = [0] * (end + 1)
    for came, went, size in rows:
        change[came] += size
        if went is not None:
            change[went] -= size
    return tuple(accumulate(change))
