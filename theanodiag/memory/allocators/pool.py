"""Pools that take blocks from the driver, split them by best fit, and never give a block back: libgpuarray's cache, and cnmem."""

from __future__ import annotations

from sortedcontainers import SortedList  # type: ignore[import-untyped]

from .base import BlockSource, Grant

BLOCK_BYTES = 4 << 20
"""Smallest block that libgpuarray's cache requests from the driver."""
FRAGMENT_BYTES = 64
"""Allocation granularity of libgpuarray's cache."""
CNMEM_GRANULE_BYTES = 512
"""Allocation granularity of cnmem."""
ADDRESS_BITS = 1024
"""Number of low bits that hold the address in an entry of the free list, above which is the size; larger than any address needs."""
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1
"""The bits of an entry of the free list that hold the address."""


class BestFitPool:
    """A pool with best fit over its free pieces; of equal sizes the lowest address.

    Requests are rounded up to a multiple of `granule` bytes. A piece is split where at least one granule is left over. A freed piece merges
    with its free neighbours in the same block of the driver, never across two. New blocks have at least `block_bytes`; all blocks together
    at most `max_bytes`.
    """

    def __init__(self, driver: BlockSource, granule: int, block_bytes: int, max_bytes: int | None = None) -> None:
        self.granule = granule
        self.block_bytes = block_bytes
        self.max_bytes = max_bytes
        self.driver = driver
        self.reserved = self.live = self.driver_requests = 0
        self._free: SortedList = SortedList()
        """The free list: each piece as one number, size above address, so that the order of the numbers is that of best fit."""
        self._size_at: dict[int, int] = {}
        """Free pieces: address -> size."""
        self._start_of: dict[int, int] = {}
        """Free pieces: end address -> address."""
        self._heads: set[int] = set()
        """Addresses of the driver's blocks, across which nothing merges."""
        self._held: dict[int, int] = {}
        self.end = 0
        """The highest end address of any piece that was cut out of free memory so far; new blocks do not count."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Serves `nbytes` from the smallest free piece that fits, else from a new block; None where the driver or `max_bytes` refuses."""
        size = -(-max(nbytes, 1) // self.granule) * self.granule
        best = next(self._free.irange(size << ADDRESS_BITS), None)
        if best is None:
            piece = self._new_block(size)
        else:
            piece = best >> ADDRESS_BITS, best & ADDRESS_MASK
            self._remove(*piece)
            self.end = max(self.end, piece[1] + size)
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
        """Frees the piece at `address` and merges it with its free neighbours."""
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
        """Bytes reserved but not live."""
        return self.reserved - self.live

    def largest_free(self) -> int:
        """Size of the largest free piece."""
        return int(self._free[-1] >> ADDRESS_BITS) if self._free else 0


class GpuArrayAllocator(BestFitPool):
    """libgpuarray's allocation cache on CUDA; it never returns a block, and all blocks together are at most `max_cache_bytes`.

    Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc`, `find_best`, `allocate`, `extract`, `cuda_free`) and
    src/private_cuda.h (`BLOCK_SIZE`, `FRAG_SIZE`).
    """

    def __init__(self, driver: BlockSource, max_cache_bytes: int | None = None) -> None:
        super().__init__(driver, FRAGMENT_BYTES, BLOCK_BYTES, max_cache_bytes)


class CnmemAllocator(BestFitPool):
    """The pool of the CUDA back-end that Theano 1.0 removed (`lib.cnmem`): starts with one block of `reserve` bytes.

    A request that does not fit takes a new block of just its own size; a request for 0 bytes takes nothing.
    Source: Theano 0.9.0, theano/sandbox/cuda/cnmem.cpp (`Manager::allocate`, `findBestBlockUnsafe`, `extractBlockUnsafe`,
    `releaseBlockUnsafe`, `CNMEM_GRANULARITY`) and cuda_ndarray.cu (`initCnmem`, `device_malloc`).
    """

    def __init__(self, driver: BlockSource, reserve: int) -> None:
        super().__init__(driver, CNMEM_GRANULE_BYTES, CNMEM_GRANULE_BYTES)
        self._nowhere = 0
        """The last address given to a request for 0 bytes: negative, and a different one each time."""
        grant = self.allocate(reserve) if reserve else None
        if grant:
            self.release(grant.address)

    def allocate(self, nbytes: int) -> Grant | None:
        """Serves `nbytes` from the smallest free piece that fits, else from a new block; 0 bytes take nothing."""
        if nbytes:
            return super().allocate(nbytes)
        self._nowhere -= 1
        return Grant(self._nowhere, 0)

    def release(self, address: int) -> None:
        """Frees the piece at `address`, merged with its free neighbours."""
        if address >= 0:
            super().release(address)
