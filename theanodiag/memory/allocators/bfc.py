"""XLA's GPU allocator, BFC (best fit with coalescing): one pool whose blocks are split and merged, with sizes rounded to 256 bytes.

Source: XLA, xla/tsl/framework/bfc_allocator.cc and .h (`AllocateRawInternal`, `FindChunkPtr`, `Extend`, `ShouldSplitChunk`, `Merge`).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass

from .base import Grant, Shortage

SMALLEST = 256
"""Allocation granularity in bytes (`kMinAllocationSize`)."""
MOST_WASTE = 128 << 20
"""A block that is at least this many bytes larger than the request is always split."""
FIRST_REGION = 2 << 20
"""Bytes of the first region, where the pool is not preallocated; each further region is at least twice as large as the last."""


@dataclass
class Chunk:
    """A used or free piece of a region; `before` and `after` are its neighbours there."""

    address: int
    size: int
    """Bytes."""
    used: bool = False
    """Whether a request holds it."""
    before: Chunk | None = None
    """The chunk at the next lower address of the same region."""
    after: Chunk | None = None
    """The chunk at the next higher address of the same region."""


class BfcAllocator:
    """A pool of `limit` bytes (None: unlimited). A request that does not fit is noted in `shortage` and served beyond the limit.

    Where the pool is preallocated, `reserved` is its high-water mark: the smallest pool that would have served all requests.
    """

    def __init__(self, limit: int | None = None, preallocated: bool = True) -> None:
        self.limit = limit
        self.preallocated = preallocated
        self.reserved = self.live = self.driver_requests = 0
        self.shortage: Shortage | None = None
        self._free: list[tuple[int, int]] = []
        """(size, address) of the free chunks, sorted: the first that is large enough is the best fit."""
        self._chunks: dict[int, Chunk] = {}
        self._region = FIRST_REGION
        self._taken = 0
        self._edge = 0
        self._last: Chunk | None = None

    def allocate(self, nbytes: int) -> Grant:
        """Serves `nbytes` from the best-fitting free chunk, else from a new region; a request for 0 bytes takes nothing."""
        if nbytes == 0:
            # tuple.__new__ takes half the time of Grant(...)
            return tuple.__new__(Grant, (-1, 0))
        rounded = -(-nbytes // SMALLEST) * SMALLEST
        chunk = self._find(rounded) or self._extend(rounded)
        if chunk.size >= 2 * rounded or chunk.size - rounded >= MOST_WASTE:
            self._split(chunk, rounded)
        chunk.used = True
        self.live += chunk.size
        if self.preallocated:
            self.reserved = max(self.reserved, chunk.address + chunk.size)
        # tuple.__new__ takes half the time of Grant(...)
        return tuple.__new__(Grant, (chunk.address, chunk.size))

    def release(self, address: int) -> None:
        """Frees the chunk at `address` and merges it with its free neighbours."""
        if address < 0:
            return
        chunk = self._chunks[address]
        chunk.used = False
        self.live -= chunk.size
        if chunk.after is not None and not chunk.after.used:
            self._forget(chunk.after)
            self._merge(chunk, chunk.after)
        if chunk.before is not None and not chunk.before.used:
            self._forget(chunk.before)
            chunk = self._merge(chunk.before, chunk)
        insort(self._free, (chunk.size, chunk.address))

    def free_bytes(self) -> int:
        """Bytes reserved but not live."""
        return max(0, self.reserved - self.live)

    def largest_free(self) -> int:
        """Size of the largest free chunk, within the high-water mark of a preallocated pool."""
        return max((min(size, self.reserved - address) if self.preallocated else size for size, address in self._free), default=0)

    def _find(self, rounded: int) -> Chunk | None:
        """The smallest free chunk of at least `rounded` bytes, at the lowest address among equals; it is taken off the free list."""
        at = bisect_left(self._free, (rounded, -1))
        return self._chunks[self._free.pop(at)[1]] if at < len(self._free) else None

    def _extend(self, rounded: int) -> Chunk:
        """A new region: the whole pool if it is preallocated, else the next size that is enough."""
        if self.preallocated:
            return self._beyond(rounded) if self._taken else self._whole(rounded)
        grown = False
        while rounded > self._region:
            self._region *= 2
            grown = True
        left = None if self.limit is None else (self.limit - self._taken) // SMALLEST * SMALLEST
        if left is not None and rounded > left:
            self._short(rounded)
            left = None
        size = self._region if left is None else min(self._region, left)
        if not grown:
            self._region *= 2
        return self._add(size)

    def _whole(self, rounded: int) -> Chunk:
        """The preallocated pool; a request beyond its limit is placed behind it."""
        size = (1 << 62) if self.limit is None else self.limit // SMALLEST * SMALLEST
        chunk = self._add(size)
        if size >= rounded:
            return chunk
        insort(self._free, (chunk.size, chunk.address))
        return self._beyond(rounded)

    def _beyond(self, rounded: int) -> Chunk:
        """Extends the pool beyond its limit, so that the need becomes known; uses the free chunk at its end, if there is one."""
        self._short(rounded)
        last = self._last
        if last is not None and not last.used:
            self._forget(last)
            missing = rounded - last.size
            last.size = rounded
            self._edge += missing
            return last
        chunk = self._add(rounded)
        if last is not None:
            last.after, chunk.before = chunk, last
        return chunk

    def _short(self, rounded: int) -> None:
        self.shortage = self.shortage or Shortage(rounded, self.live, self.limit or 0)

    def _add(self, size: int) -> Chunk:
        chunk = Chunk(self._edge, size)
        self._chunks[chunk.address] = self._last = chunk
        self._edge += size
        self._taken += size
        self.driver_requests += 1
        if not self.preallocated:
            self.reserved += size
            self._edge += SMALLEST  # a gap, so that chunks of different regions are not neighbours
        return chunk

    def _split(self, chunk: Chunk, rounded: int) -> None:
        """Cuts `chunk` to `rounded` bytes; the rest becomes a free chunk behind it."""
        rest = Chunk(chunk.address + rounded, chunk.size - rounded, False, chunk, chunk.after)
        if chunk.after is not None:
            chunk.after.before = rest
        chunk.after, chunk.size = rest, rounded
        self._chunks[rest.address] = rest
        if self._last is chunk:
            self._last = rest
        insort(self._free, (rest.size, rest.address))

    def _merge(self, first: Chunk, second: Chunk) -> Chunk:
        """Joins two neighbouring chunks into the first."""
        first.size += second.size
        first.after = second.after
        if second.after is not None:
            second.after.before = first
        del self._chunks[second.address]
        if self._last is second:
            self._last = first
        return first

    def _forget(self, chunk: Chunk) -> None:
        """Takes a chunk off the free list."""
        del self._free[bisect_left(self._free, (chunk.size, chunk.address))]
