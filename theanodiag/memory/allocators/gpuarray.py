"""libgpuarray's allocation cache on CUDA, address by address.

Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc`, `find_best`, `allocate`, `extract`, `cuda_free`) and
src/private_cuda.h (`BLOCK_SIZE`, `FRAG_SIZE`).
"""

from __future__ import annotations

from sortedcontainers import SortedList  # type: ignore[import-untyped]

from .base import BlockSource, Grant

BLOCK_BYTES = 4 << 20
"""The smallest block that is asked of the driver."""
FRAGMENT_BYTES = 64
"""Requests are rounded up to a multiple of this; a rest smaller than this is not split off."""


class GpuArrayAllocator:
    """Best fit over the free pieces, the lowest address where sizes are equal.

    A block is split where a piece is large enough to be worth it, and a released piece merges with its free neighbours
    inside the same block of the driver. Blocks never go back, and count against `max_cache_bytes` for ever.
    """

    def __init__(self, driver: BlockSource, max_cache_bytes: int | None = None) -> None:
        self.driver = driver
        self.max_cache_bytes = max_cache_bytes
        self.reserved = self.live = self.driver_requests = 0
        self._free: SortedList = SortedList()
        """(size, address): its order is the order of best fit."""
        self._size_at: dict[int, int] = {}
        """Free pieces: address -> size."""
        self._start_of: dict[int, int] = {}
        """Free pieces: end address -> address."""
        self._heads: set[int] = set()
        """Where the driver's blocks begin: nothing merges across."""
        self._held: dict[int, int] = {}

    def allocate(self, nbytes: int) -> Grant | None:
        """The smallest free piece that fits, else a new block."""
        size = -(-max(nbytes, 1) // FRAGMENT_BYTES) * FRAGMENT_BYTES
        position = self._free.bisect_left((size, -1))
        if position == len(self._free):
            piece = self._new_block(size)
        else:
            piece = self._free[position]
            self._remove(*piece)
        return self._cut(piece, size) if piece else None

    def _new_block(self, size: int) -> tuple[int, int] | None:
        size = max(size, BLOCK_BYTES)
        if self.max_cache_bytes is not None and self.reserved + size > self.max_cache_bytes:
            return None
        self.driver_requests += 1
        address = self.driver.take(size)
        if address is None:
            return None
        self.reserved += size
        self._heads.add(address)
        return size, address

    def _cut(self, piece: tuple[int, int], size: int) -> Grant:
        whole, address = piece
        if whole - size >= FRAGMENT_BYTES:
            self._add(whole - size, address + size)
            whole = size
        self._held[address] = whole
        self.live += whole
        return Grant(address, whole)

    def release(self, address: int) -> None:
        """The piece at `address` is free again, one with its free neighbours."""
        size = self._held.pop(address)
        self.live -= size
        end = address + size
        before = self._start_of.get(address)
        if before is not None and address not in self._heads:
            size += self._remove(self._size_at[before], before)
            address = before
        if end in self._size_at and end not in self._heads:
            size += self._remove(self._size_at[end], end)
        self._add(size, address)

    def _add(self, size: int, address: int) -> None:
        self._free.add((size, address))
        self._size_at[address] = size
        self._start_of[address + size] = address

    def _remove(self, size: int, address: int) -> int:
        self._free.remove((size, address))
        del self._size_at[address], self._start_of[address + size]
        return size

    def free_bytes(self) -> int:
        """Reserved, not live."""
        return self.reserved - self.live

    def largest_free(self) -> int:
        """The largest piece that is free."""
        return self._free[-1][0] if self._free else 0
