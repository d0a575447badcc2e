"""Buffers on one device: who holds them, how many bytes are live, and what was live at the highest point."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from ..ir import Shape, Site, Unknown
from .allocators.base import Allocator
from .profile import ItemKind, Step


class Tag(NamedTuple):
    """What a buffer was taken for."""

    kind: ItemKind
    variable: str
    op: str | None = None
    dtype: str | None = None
    shape: Shape | Unknown = ()
    site: Site | None = None


class Buffer:
    """One served request of `asked` bytes, which occupies `held`. `holders` counts the cells and values that refer to it."""

    __slots__ = ("_tag", "address", "asked", "born", "died", "held", "holders")

    def __init__(self, address: int, asked: int, held: int, tag: Tag | Callable[[], Tag], born: int, holders: int = 0) -> None:
        self.address = address
        self.asked = asked
        self.held = held
        self._tag = tag
        self.born = born
        """Clock at which it was taken."""
        self.holders = holders
        self.died: int | None = None

    @property
    def tag(self) -> Tag:
        """What it was taken for; made when it is asked for, since few buffers are shown."""
        if not isinstance(self._tag, Tag):
            self._tag = self._tag()
        return self._tag

    def becomes(self, tag: Tag) -> None:
        """It is something else from now on: the result of a call is the value of a shared variable."""
        self._tag = tag


@dataclass
class Heap:
    """All buffers of one device."""

    allocator: Allocator
    clock: int = 0
    peak: int = 0
    """Highest live bytes since `begin`."""
    peak_clock: int = 0
    high: int = 0
    """Highest live bytes since `mark`."""
    reserved_high: int = 0
    """Highest reserved bytes since `begin`."""
    refused: list[Tag] = field(default_factory=list)
    """What the allocator could not serve (only where a limit is its own, not the driver's)."""
    constants: dict[int, Buffer] = field(default_factory=dict)
    """By the number that `Constant.memory` is."""
    _alive: dict[int, Buffer] = field(default_factory=dict)
    _gone: list[Buffer] = field(default_factory=list)
    """What was given back since `begin`."""

    @property
    def live(self) -> int:
        """Bytes that are held now."""
        return self.allocator.live

    def begin(self) -> None:
        """A call begins: peaks are counted from here."""
        self._gone = []
        self.peak = self.high = self.live
        self.peak_clock = self.clock
        self.reserved_high = self.allocator.reserved

    def mark(self) -> int:
        """The highest live bytes since the last mark."""
        high, self.high = self.high, self.allocator.live
        return high

    def take(self, nbytes: int, tag: Tag | Callable[[], Tag]) -> Buffer:
        """A buffer of `nbytes` with one holder: whoever asked."""
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
        """One holder more."""
        buffer.holders += 1

    def drop(self, buffer: Buffer) -> None:
        """One holder less; the last one gives the buffer back."""
        buffer.holders -= 1
        if not buffer.holders:
            self.clock += 1
            buffer.died = self.clock
            if self._alive.pop(id(buffer), None) is not None:
                self._gone.append(buffer)
                self.allocator.release(buffer.address)

    def becomes(self, buffer: Buffer, tag: Tag) -> None:
        """What was taken is something else from now on."""
        buffer.becomes(tag)

    def at_peak(self) -> tuple[Buffer, ...]:
        """The buffers that were live at the highest point since `begin`."""
        at = self.peak_clock
        found = [b for b in (*self._gone, *self._alive.values()) if b.born <= at and (b.died is None or b.died > at)]
        return tuple(sorted(found, key=attrgetter("born")))

    def alive(self) -> tuple[Buffer, ...]:
        """The buffers that are live now."""
        return tuple(self._alive.values())


@dataclass
class Recorder:
    """Collects a `Step` after each node of a call: live and reserved bytes, and what is free."""

    store: Heap
    steps: list[Step] = field(default_factory=list)

    def after(self, step: int, node: int | None) -> None:
        """Records step number `step`, which ran Apply `node` (None: the start or the end of the call)."""
        pool, high = self.store.allocator, self.store.mark()
        reserved = pool.reserved
        kept = (0, 0) if reserved == pool.live else (pool.free_bytes(), pool.largest_free())
        # tuple.__new__ takes half the time of Step(...)
        self.steps.append(tuple.__new__(Step, (step, node, high, reserved, *kept)))
