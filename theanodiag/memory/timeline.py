"""The timeline of a whole script: every allocation with its address, every block of the driver, and the steps of each call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from .heap import Tag
from .script import Call, Event, Script
from .settings import AllocatorKind, MemorySettings


class Allocation(NamedTuple):
    """One served request, from the clock at which it was taken until the one at which it was given back."""

    address: int
    asked: int
    """Bytes of the request."""
    held: int
    """Bytes that it occupies, the allocator's rounding included."""
    born: int
    died: int | None
    """None: it is still there at the end."""
    tag: Tag
    span: int
    """Position in `Timeline.spans` of the event in which it was taken; -1: the start of the back-end."""

    def lives_at(self, clock: int) -> bool:
        """Whether it is held right after the change of memory with that number."""
        return self.born <= clock and (self.died is None or self.died > clock)


class DriverBlock(NamedTuple):
    """Memory that the allocator has from the driver."""

    address: int
    size: int
    """Bytes."""
    taken: int
    """Clock."""
    returned: int | None
    """Clock; None: never."""


class StepEnd(NamedTuple):
    """The end of one node."""

    clock: int
    node: int | None
    """Apply id; None for the arguments and the end of a call."""


@dataclass(frozen=True)
class Span:
    """One event of the script, and the changes of memory that it makes: those with the numbers `start` + 1 to `end`."""

    event: Event
    start: int
    end: int
    call: int | None = None
    """Which call of its function it is, 0-based; None for what is no call."""
    steps: tuple[StepEnd, ...] = ()

    @property
    def function(self) -> int | None:
        """Index of the function that is called."""
        return self.event.function if isinstance(self.event, Call) else None


@dataclass(frozen=True)
class Timeline:
    """All that happens to memory in the life of a script. Its clock counts the changes: each is one request, or one release."""

    script: Script
    """As it was simulated: with the graphs of the device."""
    allocator: AllocatorKind
    allocations: tuple[Allocation, ...]
    """By the clock at which they were taken."""
    blocks: tuple[DriverBlock, ...]
    spans: tuple[Span, ...]
    end: int
    """The clock at the end."""

    @cached_property
    def live(self) -> tuple[int, ...]:
        """Live bytes by clock, 0 to `end`."""
        return _summed(self.end, ((a.born, a.died, a.held) for a in self.allocations))

    @cached_property
    def reserved(self) -> tuple[int, ...]:
        """Bytes taken from the driver by clock, 0 to `end`."""
        return _summed(self.end, ((b.taken, b.returned, b.size) for b in self.blocks))

    @property
    def live_peak_bytes(self) -> int:
        """The highest of `live`."""
        return max(self.live)

    @property
    def reserved_peak_bytes(self) -> int:
        """The highest of `reserved`."""
        return max(self.reserved)

    @cached_property
    def peak_clock(self) -> int:
        """The first clock at which the most is live."""
        return self.live.index(self.live_peak_bytes)

    def at(self, clock: int) -> tuple[Allocation, ...]:
        """What is live at a clock, largest first."""
        return tuple(sorted((a for a in self.allocations if a.lives_at(clock)), key=lambda a: -a.held))

    def regions(self, clock: int) -> tuple[tuple[int, int], ...]:
        """Address and size of what the allocator has from the driver at a clock, by address; XLA's pool, which grows, is one."""
        rows = sorted((b.address, b.size) for b in self.blocks if b.taken <= clock and (b.returned is None or b.returned > clock))
        if self.allocator is not AllocatorKind.XLA:
            return tuple(rows)
        found: list[tuple[int, int]] = []
        for address, size in rows:
            if found and sum(found[-1]) == address:
                address, size = found[-1][0], found.pop()[1] + size
            found.append((address, size))
        return tuple(found)

    @cached_property
    def names(self) -> Mapping[int, str]:
        """Names of the functions by index."""
        return {f.index: f.name for f in self.script.functions}

    def title(self, span: Span) -> str:
        """What an event of the script is called: `train, call 2`, `set W`."""
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
    """What a simulation was of: `memory.replay.timeline` runs it again with every event recorded."""

    script: Script
    settings: MemorySettings


def _summed(end: int, rows: Iterable[tuple[int, int | None, int]]) -> tuple[int, ...]:
    """Bytes by clock, of rows that come, go and hold."""
    change = [0] * (end + 1)
    for came, went, size in rows:
        change[came] += size
        if went is not None:
            change[went] -= size
    return tuple(accumulate(change))
