"""Buffers on one device: who holds them, how many bytes are live, and which buffers were live at the peak."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

from ..ops.arrays import Buffer, Tag
from .allocators.base import Allocator
from .profile import Step


def shared_name(name: str | None, shared: int) -> str:
    """The name of a shared variable in reports: its own name, else its number."""
    return name or f"shared variable {shared}"


@dataclass
class Heap:
    """All buffers of one device, with reference counts, live and peak bytes."""

    allocator: Allocator
    """Serves the requests."""
    clock: int = 0
    """Counts requests and releases; each changes it by 1."""
    peak: int = 0
    """Highest live bytes since `begin`."""
    peak_clock: int = 0
    """Clock at that peak."""
    high: int = 0
    """Highest live bytes since `mark`."""
    reserved_high: int = 0
    """Highest reserved bytes since `begin`."""
    refused: list[Tag] = field(default_factory=list)
    """Tags of requests that the allocator refused because of a limit of its own, not the driver's."""
    constants: dict[int, Buffer] = field(default_factory=dict)
    """Buffers of constants, by `Constant.memory`."""
    _alive: dict[int, Buffer] = field(default_factory=dict)
    _gone: list[Buffer] = field(default_factory=list)
    """Buffers freed since `begin`."""

    @property
    def live(self) -> int:
        """Live bytes now."""
        return self.allocator.live

    def begin(self) -> None:
        """Starts counting peaks anew from the present state, as at the start of a call."""
        self._gone = []
        self.peak = self.high = self.live
        self.peak_clock = self.clock
        self.reserved_high = self.allocator.reserved

    def mark(self) -> int:
        """Returns the highest live bytes since the last `mark` and starts counting anew."""
        high, self.high = self.high, self.allocator.live
        return high

    def take(self, nbytes: int, tag: Tag | Callable[[], Tag]) -> Buffer:
        """Allocates `nbytes` labelled `tag`; returns a buffer with one holder, the caller.

        A refused request gives a buffer that holds 0 bytes.
        """
        allocator = self.allocator
        grant = allocator.allocate(nbytes)
        clock = self.clock = self.clock + 1
        if grant is None:
            refused = Buffer(-clock, nbytes, 0, tag, clock, 1)
            self.refused.append(refused.tag)
            return refused
        address, held = grant
        buffer = Buffer(address, nbytes, held, tag, clock, 1)
        self._alive[id(buffer)] = buffer
        live = allocator.live
        if live > self.high:
            self.high = live
            if live > self.peak:
                self.peak, self.peak_clock = live, clock
        if allocator.reserved > self.reserved_high:
            self.reserved_high = allocator.reserved
        return buffer

    def hold(self, buffer: Buffer) -> None:
        """Adds one holder."""
        buffer.holders += 1

    def drop(self, buffer: Buffer) -> None:
        """Removes one holder; without holders the buffer is released to the allocator."""
        buffer.holders -= 1
        if not buffer.holders:
            self.clock += 1
            buffer.died = self.clock
            if self._alive.pop(id(buffer), None) is not None:
                self._gone.append(buffer)
                self.allocator.release(buffer.address)

    def becomes(self, buffer: Buffer, tag: Tag) -> None:
        """Replaces the tag of `buffer` (see `Buffer.becomes`)."""
        buffer.becomes(tag)

    def at_peak(self) -> tuple[Buffer, ...]:
        """The buffers that were live at the peak since `begin`, in the order in which they were taken."""
        at = self.peak_clock
        buffers = [b for b in (*self._gone, *self._alive.values()) if b.born <= at and (b.died is None or b.died > at)]
        return tuple(sorted(buffers, key=attrgetter("born")))

    def alive(self) -> tuple[Buffer, ...]:
        """The buffers that are live now."""
        return tuple(self._alive.values())


@dataclass
class Recorder:
    """Collects a `Step` after each node of a call: live and reserved bytes, and what is free."""

    store: Heap
    """The heap that is recorded."""
    steps: list[Step] = field(default_factory=list)
    """The steps recorded so far."""

    def after(self, step: int, node: int | None) -> None:
        """Records step number `step`, which ran Apply `node` (None: the start or the end of the call)."""
        pool, high = self.store.allocator, self.store.mark()
        reserved = pool.reserved
        kept = (0, 0) if reserved == pool.live else (pool.free_bytes(), pool.largest_free())
        # tuple.__new__ takes half the time of Step(...)
        self.steps.append(tuple.__new__(Step, (step, node, high, reserved, *kept)))
