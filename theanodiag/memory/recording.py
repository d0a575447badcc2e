"""Simulates with every event recorded, which a script's timeline is made from; only formats that draw it need this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

from ..ops.arrays import Buffer, Tag
from .allocators.base import Allocator
from .allocators.bfc import BfcAllocator
from .allocators.driver import Driver
from .heap import Heap, Recorder
from .script import Call, Event, Script
from .settings import AllocatorKind
from .timeline import Allocation, DriverBlock, StepEnd, Timeline, TimelineSpan


@dataclass
class RecordingHeap(Heap):
    """A heap that records all its buffers, and when the allocator asks the driver."""

    recording: SimulationRecording = field(default_factory=lambda: SimulationRecording())
    """What is recorded."""

    def take(self, nbytes: int, tag: Tag | Callable[[], Tag]) -> Buffer:
        """As `Heap.take`; a new driver block is recorded at the buffer's address, or for a preallocated pool where its used part ended."""
        before = self.allocator.reserved
        buffer = super().take(nbytes, tag)
        grown = self.allocator.reserved - before
        if grown:
            pooled = isinstance(self.allocator, BfcAllocator) and self.allocator.preallocated
            self.recording.block(before if pooled else buffer.address, grown, self.clock)
        self.recording.taken.append((buffer, len(self.recording.events) - 1))
        return buffer

    def drop(self, buffer: Buffer) -> None:
        """As `Heap.drop`."""
        before = self.allocator.reserved
        super().drop(buffer)
        if self.allocator.reserved < before:
            self.recording.returned(buffer.address, self.clock)

    def becomes(self, buffer: Buffer, tag: Tag) -> None:
        """As `Heap.becomes`."""
        self.recording.earlier.setdefault(id(buffer), []).append((self.clock, buffer.tag))
        super().becomes(buffer, tag)


@dataclass
class SimulationRecording:
    """The record of one simulation."""

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
        """A recording heap on an allocator that already has the driver's present blocks."""
        for address, size in driver.blocks.items():
            self.block(address, size, 0)
        self.store = heap = RecordingHeap(allocator, recording=self)
        return heap

    def block(self, address: int, size: int, clock: int) -> None:
        """Records a block of `size` bytes from the driver."""
        self._open[address] = len(self.blocks)
        self.blocks.append(DriverBlock(address, size, clock, None))

    def returned(self, address: int, clock: int) -> None:
        """Records that the block at `address` was returned to the driver."""
        at = self._open.pop(address)
        self.blocks[at] = self.blocks[at]._replace(returned=clock)

    def event(self, event: Event) -> None:
        """Records the begin of an event of the script."""
        self.events.append((event, self._clock, []))

    def recorder(self, store: Heap) -> Recorder:
        """A recorder of the steps of one call."""
        return StepNoter(store, recording=self)

    def step(self, node: int | None) -> None:
        """Records the end of a step."""
        self.events[-1][2].append(StepEnd(self._clock, node))

    @property
    def _clock(self) -> int:
        return self.store.clock if self.store is not None else 0

    def timeline(self, script: Script, allocator: AllocatorKind) -> Timeline:
        """The timeline of all that was recorded."""
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
    """A recorder that also records the ends of steps in `recording`."""

    recording: SimulationRecording = field(default_factory=SimulationRecording)
    """Where the ends of steps are recorded."""

    def after(self, step: int, node: int | None) -> None:
        """As `Recorder.after`, and records the end of the step."""
        super().after(step, node)
        self.recording.step(node)
