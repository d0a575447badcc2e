"""The timeline of a script: every allocation with its address, every driver block, and the steps of each call; and the simulation that
records every event, which only formats that draw the timeline need.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from operator import attrgetter
from typing import NamedTuple

from ..ops.arrays import Buffer, Tag
from .allocators import Allocator, BfcAllocator, Driver
from .script import Call, Event, Script
from .settings import AllocatorKind, MemorySettings
from .simulated_device import Heap, Recorder


class Allocation(NamedTuple):
    """One served request, with the clock times at which it was allocated and freed."""

    address: int
    requested: int
    """Bytes that were requested."""
    held: int
    """Bytes that it occupies, the allocator's rounding included."""
    born: int
    """Clock at which the memory was taken."""
    died: int | None
    """Clock when it was freed; None: never."""
    tag: Tag
    """Label: the Variable and kind of memory that it is for."""
    span: int
    """Index in `Timeline.spans` of the event in which it was taken; -1: the start of the back-end."""

    def lives_at(self, clock: int) -> bool:
        """Returns whether the allocation is live at this clock."""
        return self.born <= clock and (self.died is None or self.died > clock)


class DriverBlock(NamedTuple):
    """A block that the allocator took from the driver."""

    address: int
    size: int
    """Bytes of the block."""
    taken: int
    """Clock at which the block was taken from the driver."""
    returned: int | None
    """Clock when it was returned; None: never."""


class StepEnd(NamedTuple):
    """The end of one step of a call."""

    clock: int
    """Clock at the end of the step."""
    node: int | None
    """Apply id; None for the arguments and for the end of a call."""


@dataclass(frozen=True)
class TimelineSpan:
    """One event of the script, and the range of clock times in which it changes memory: `start` + 1 to `end`."""

    event: Event
    """The event of the script that the span covers."""
    start: int
    """Clock before the event."""
    end: int
    """Clock after the event."""
    call: int | None = None
    """Number of the call of its function (0-based); None for other events."""
    steps: tuple[StepEnd, ...] = ()
    """Ends of the steps of a call."""

    def within(self, first: int, last: int) -> TimelineSpan:
        """Returns the part of the event between the clocks `first` and `last`; in the result, `first` is clock 0."""
        steps = tuple(step._replace(clock=step.clock - first) for step in self.steps if first <= step.clock <= last)
        return replace(self, start=max(0, self.start - first), end=min(self.end, last) - first, steps=steps)

    @property
    def function(self) -> int | None:
        """Index of the called function; None if the event is no call."""
        return self.event.function if isinstance(self.event, Call) else None


@dataclass(frozen=True)
class Timeline:
    """All allocations and releases of one simulation. The clock counts allocations and releases: each adds 1."""

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
    """The last clock of the timeline."""

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
        """Returns the allocations that are live at this clock, largest first."""
        return tuple(sorted((a for a in self.allocations if a.lives_at(clock)), key=lambda a: -a.held))

    def regions(self, clock: int) -> tuple[tuple[int, int], ...]:
        """Returns (Address, size) of the driver blocks that exist at this clock, sorted by address; adjacent blocks of XLA's pool are
        merged.
        """
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
        """Returns the part of the timeline around the peak, with at most `most` changes. Its own clock starts at 0, and allocations that
        are live at its start begin there.
        """
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
        """Returns a short title of an event for charts, such as `train, call 2` or `set W`."""
        event = span.event
        if isinstance(event, Call):
            return f"{self.names[event.function]}, call {(span.call or 0) + 1}"
        what = type(event).__name__.lower()
        function, shared = getattr(event, "function", None), getattr(event, "shared", None)
        if function is not None:
            return f"{what} {self.names[function]}"
        if shared is not None:
            variable = self.script.shared.get(shared)
            return f"{_SAID.get(what, what)} {variable.label if variable else f'shared variable {shared}'}"
        return _SAID.get(what, what)


_SAID = {"setvalue": "set", "getvalue": "get", "dropconstant": "drop a constant", "release": "release a result"}


@dataclass(frozen=True)
class Simulated:
    """The script and settings of a simulation, with which it can be run again to record its timeline."""

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


@dataclass
class RecordingHeap(Heap):
    """A heap that also records all its buffers, and when the allocator takes blocks from the driver."""

    recording: SimulationRecording = field(default_factory=lambda: SimulationRecording())
    """The recording that this heap fills."""

    def take(self, nbytes: int, tag: Tag | Callable[[], Tag]) -> Buffer:
        """Allocates like `Heap.take` and records the buffer. A new driver block is recorded at the buffer's address, or, for a preallocated
        pool, at the end of its used part.
        """
        before = self.allocator.reserved
        buffer = super().take(nbytes, tag)
        grown = self.allocator.reserved - before
        if grown:
            pooled = isinstance(self.allocator, BfcAllocator) and self.allocator.preallocated
            self.recording.block(before if pooled else buffer.address, grown, self.clock)
        self.recording.taken.append((buffer, len(self.recording.events) - 1))
        return buffer

    def drop(self, buffer: Buffer) -> None:
        """Removes a holder like `Heap.drop`, and records driver blocks that are returned."""
        before = self.allocator.reserved
        super().drop(buffer)
        if self.allocator.reserved < before:
            self.recording.returned(buffer.address, self.clock)

    def becomes(self, buffer: Buffer, tag: Tag) -> None:
        """Gives the buffer a new label like `Heap.becomes`, and records the old one."""
        self.recording.earlier.setdefault(id(buffer), []).append((self.clock, buffer.tag))
        super().becomes(buffer, tag)


@dataclass
class SimulationRecording:
    """Everything that happened in one simulation, from which a `Timeline` is made."""

    taken: list[tuple[Buffer, int]] = field(default_factory=list)
    """Each buffer, with the index of the event in which it was taken."""
    earlier: dict[int, list[tuple[int, Tag]]] = field(default_factory=dict)
    """Former tags of buffers, by `id()` of the buffer: (clock until which it held, tag)."""
    blocks: list[DriverBlock] = field(default_factory=list)
    """Blocks that the allocator took from the driver."""
    events: list[tuple[Event, int, list[StepEnd]]] = field(default_factory=list)
    """Each event of the script, the clock at its begin, and its steps."""
    store: Heap | None = None
    """The heap that is recorded."""
    _open: dict[int, int] = field(default_factory=dict)
    """Indices in `blocks` of blocks not returned, by address."""

    def heap(self, allocator: Allocator, driver: Driver) -> RecordingHeap:
        """Makes a recording heap on `allocator`. Blocks that the driver already gave out are recorded first."""
        for address, size in driver.blocks.items():
            self.block(address, size, 0)
        self.store = heap = RecordingHeap(allocator, recording=self)
        return heap

    def block(self, address: int, size: int, clock: int) -> None:
        """Records that the driver gave out a block of `size` bytes."""
        self._open[address] = len(self.blocks)
        self.blocks.append(DriverBlock(address, size, clock, None))

    def returned(self, address: int, clock: int) -> None:
        """Records that the block at `address` was returned to the driver."""
        at = self._open.pop(address)
        self.blocks[at] = self.blocks[at]._replace(returned=clock)

    def event(self, event: Event) -> None:
        """Records the start of an event of the script."""
        self.events.append((event, self._clock, []))

    def recorder(self, store: Heap) -> Recorder:
        """Makes an object that records the steps of one call."""
        return StepNoter(store, recording=self)

    def step(self, node: int | None) -> None:
        """Records the end of a step, in which Apply `node` ran."""
        self.events[-1][2].append(StepEnd(self._clock, node))

    @property
    def _clock(self) -> int:
        return self.store.clock if self.store is not None else 0

    def timeline(self, script: Script, allocator: AllocatorKind) -> Timeline:
        """Returns the timeline of everything that was recorded."""
        ends = [*(start for _, start, _ in self.events[1:]), self._clock]
        calls: Counter[int] = Counter()
        spans = []
        for (event, start, steps), end in zip(self.events, ends):
            call = None
            if isinstance(event, Call):
                call = calls[event.function]
                calls[event.function] += 1
            spans.append(TimelineSpan(event, start, end, call, tuple(steps)))
        allocations = sorted((a for buffer, span in self.taken if buffer.held for a in self._lives(buffer, span)), key=attrgetter("born"))
        return Timeline(script, allocator, tuple(allocations), tuple(self.blocks), tuple(spans), self._clock)

    def _lives(self, buffer: Buffer, span: int) -> list[Allocation]:
        """One allocation for each tag that the buffer had, usually one."""
        rows, born = [], buffer.born
        for until, tag in self.earlier.get(id(buffer), ()):
            if until == born:
                continue
            rows.append(Allocation(buffer.address, buffer.requested, buffer.held, born, until, tag, span))
            born = until
        return [*rows, Allocation(buffer.address, buffer.requested, buffer.held, born, buffer.died, buffer.tag, span)]


@dataclass
class StepNoter(Recorder):
    """Records the steps of a call, and also their ends in `recording`."""

    recording: SimulationRecording = field(default_factory=SimulationRecording)
    """Where the ends of steps are recorded."""

    def after(self, step: int, node: int | None) -> None:
        """Records a step like `Recorder.after`, and its end in `recording`."""
        super().after(step, node)
        self.recording.step(node)
