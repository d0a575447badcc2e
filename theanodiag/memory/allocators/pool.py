"""A pool that takes blocks from the driver, cuts pieces off them by best fit, and never gives a block back."""

from __future__ import annotations

from sortedcontainers import SortedList  # type: ignore[import-untyped]

from .base import BlockSource, Grant

ADDRESS_BITS = 1024
"""More than any address has, also where shapes were invented: a piece is one number, its size before its address."""
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1


class BestFitPool:
    """Best fit over the free pieces, the lowest address where sizes are equal.

    Requests are rounded up to a multiple of `granule`. A piece is cut where the rest is at least one granule. A released piece merges
    with its free neighbours inside the same block of the driver, never across two. A block has at least `block_bytes`.
    """

    def __init__(self, driver: BlockSource, granule: int, block_bytes: int, max_bytes: int | None = None) -> None:
        self.granule = granule
        self.block_bytes = block_bytes
        self.max_bytes = max_bytes
        self.driver = driver
        self.reserved = self.live = self.driver_requests = 0
        self._free: SortedList = SortedList()
        """Free pieces as numbers, size before address: their order is the order of best fit."""
        self._size_at: dict[int, int] = {}
        """Free pieces: address -> size."""
        self._start_of: dict[int, int] = {}
        """Free pieces: end address -> address."""
        self._heads: set[int] = set()
        """Where the driver's blocks begin: nothing merges across."""
        self._held: dict[int, int] = {}

    def allocate(self, nbytes: int) -> Grant | None:
        """The smallest free piece that fits, else a new block."""
        size = -(-max(nbytes, 1) // self.granule) * self.granule
        best = next(self._free.irange(size << ADDRESS_BITS), None)
        if best is None:
            piece = self._new_block(size)
        else:
            piece = best >> ADDRESS_BITS, best & ADDRESS_MASK
            self._remove(*piece)
        return self._cut(piece, size) if piece else None

    def _new_block(self, size: int) -> tuple[int, int] | None:
        size = max(size, self.block_bytes)
        if self.max_bytes is not None and self.reserved + size > self.max_bytes:
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
        if whole - size >= self.granule:
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
        self._free.add(size << ADDRESS_BITS | address)
        self._size_at[address] = size
        self._start_of[address + size] = address

    def _remove(self, size: int, address: int) -> int:
        self._free.remove(size << ADDRESS_BITS | address)
        del self._size_at[address], self._start_of[address + size]
        return size

    def free_bytes(self) -> int:
        """Reserved, not live."""
        return self.reserved - self.live

    def largest_free(self) -> int:
        """The largest piece that is free."""
        return int(self._free[-1] >> ADDRESS_BITS) if self._free else 0
