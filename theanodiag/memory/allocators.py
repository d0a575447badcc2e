"""The interface of allocators, which serve requests out of blocks that they take from a driver; and a model of the driver: how much memory
there is, and at which address it places a new block.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sortedcontainers import SortedDict, SortedList  # type: ignore[import-untyped]

from ..units import format_bytes
from .settings import AddressPolicy

ALIGNMENT = 512
"""Alignment of the addresses that cuMemAlloc returns, in bytes.

Source: the texture alignment that CUDA documents for every device since 2.0.
"""
BASE = 1 << 45
"""Lowest address of a block, where blocks are not placed downwards."""
TOP = 1 << 1000
"""Address below which blocks are placed downwards, so high that no address becomes negative."""


@dataclass(frozen=True)
class Shortage:
    """The first request for which the device had too little memory."""

    requested: int
    """Bytes of the request that did not fit."""
    taken: int
    """Bytes of the device already taken by blocks when the request was made."""
    limit: int
    """Bytes of memory that the device has."""

    def __str__(self) -> str:
        in_units = format_bytes(self.requested)
        request = in_units if in_units.endswith(" B") else f"{in_units} ({self.requested} bytes)"
        return f"a request of {request} does not fit: {format_bytes(self.taken)} of {format_bytes(self.limit)} are in use"


@dataclass
class Driver:
    """The driver of a device with `limit` bytes of memory, from which allocators take blocks.

    With `strict` a request that does not fit is refused. Otherwise it is served too, so that the total need becomes known, and the first
    such request is kept in `shortage`.
    """

    limit: int | None = None
    """Bytes of memory that the device has; None: unlimited."""
    policy: AddressPolicy = AddressPolicy.UP
    """At which address new blocks are placed."""
    strict: bool = False
    """Whether requests that do not fit are refused instead of served."""
    taken: int = 0
    """Bytes in blocks that are not returned."""
    shortage: Shortage | None = None
    """The first request that did not fit."""
    refusals: int = 0
    """Number of requests so far that did not fit."""
    blocks: dict[int, int] = field(init=False)
    """Address -> size of every block; sorted by address where the policy is FIRST_FIT."""
    edge: int = BASE
    """The end of the address range used so far: its upper end, or with `DOWN` its lower end."""

    def __post_init__(self) -> None:
        self.blocks = SortedDict() if self.policy is AddressPolicy.FIRST_FIT else {}
        if self.policy is AddressPolicy.DOWN:
            self.edge = TOP

    def take(self, nbytes: int) -> int | None:
        """Takes a block of `nbytes` and returns its address; None if it does not fit and `strict` is set."""
        if self.limit is not None and self.taken + nbytes > self.limit:
            self.refusals += 1
            self.shortage = self.shortage or Shortage(nbytes, self.taken, self.limit)
            if self.strict:
                return None
        address = self._place(nbytes)
        self.blocks[address] = nbytes
        self.taken += nbytes
        return address

    def give(self, address: int) -> int:
        """Returns the block at `address` to the driver; returns its size in bytes."""
        nbytes = self.blocks.pop(address)
        self.taken -= nbytes
        return nbytes

    def _place(self, nbytes: int) -> int:
        if self.policy is AddressPolicy.FIRST_FIT:
            return self._first_fit(nbytes)
        if self.policy is AddressPolicy.DOWN:
            self.edge = (self.edge - nbytes) // ALIGNMENT * ALIGNMENT
            return self.edge
        address = self.edge
        self.edge = _aligned(address + nbytes)
        return address

    def _first_fit(self, nbytes: int) -> int:
        address = BASE
        for start, size in self.blocks.items():
            if start - address >= nbytes:
                break
            address = _aligned(start + size)
        return address


def _aligned(address: int) -> int:
    return -(-address // ALIGNMENT) * ALIGNMENT


class Grant(NamedTuple):
    """The place where a request was served, and how many bytes it occupies."""

    address: int
    """Address of the first byte given."""
    held: int
    """Bytes that the request occupies, rounding included."""


class BlockSource(Protocol):
    """A driver, as allocators see it."""

    def take(self, nbytes: int) -> int | None:
        """Takes a block of `nbytes` and returns its address; None if there is no room for it."""

    def give(self, address: int) -> int:
        """Returns the block at `address` to the driver; returns its size in bytes."""


class Allocator(Protocol):
    """Interface of an allocator, which serves and releases requests; all counters are in bytes."""

    reserved: int
    """Bytes taken from the driver and not returned."""
    live: int
    """Bytes held by requests that were served and not released."""
    driver_requests: int
    """Number of requests to the driver, refused ones included."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Serves a request for `nbytes` and returns the place; None if that is impossible."""

    def release(self, address: int) -> None:
        """Frees the request that was served at `address`."""

    def free_bytes(self) -> int:
        """Returns the bytes that the allocator holds from the driver and that no live block uses."""

    def largest_free(self) -> int:
        """Returns the size of the largest request that can be served without a request to the driver."""


class DirectAllocator:
    """Passes each request to the driver unchanged, without cache and rounding; a request for 0 bytes gets `minimum` bytes.

    Source: libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c (`cuda_alloc` with `max_cache_size` 0: size 0 becomes 1 byte); Theano 0.9.0,
    theano/sandbox/cuda/cuda_ndarray.cu (`device_malloc` without cnmem: cudaMalloc of just the array's bytes, and no request for 0 bytes).
    """

    def __init__(self, driver: BlockSource, minimum: int = 0) -> None:
        self.driver = driver
        self.minimum = minimum
        self.reserved = self.live = self.driver_requests = 0
        self._nowhere = 0
        """The last address given to a request for 0 bytes: negative, and a different one each time."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Takes a block of exactly `nbytes` (at least `minimum`) from the driver; None if the driver refuses."""
        size = nbytes if nbytes > self.minimum else self.minimum
        if size:
            self.driver_requests += 1
            address = self.driver.take(size)
            if address is None:
                return None
        else:
            self._nowhere -= 1
            address = self._nowhere
        self.live += size
        self.reserved += size
        # tuple.__new__ takes half the time of Grant(...)
        return tuple.__new__(Grant, (address, size))

    def release(self, address: int) -> None:
        """Returns the block at `address` to the driver."""
        if address >= 0:
            size = self.driver.give(address)
            self.live -= size
            self.reserved -= size

    def free_bytes(self) -> int:
        """Always 0: the allocator returns all freed memory to the driver."""
        return 0

    def largest_free(self) -> int:
        """Always 0: the allocator returns all freed memory to the driver."""
        return 0


class OpenClAllocator(DirectAllocator):
    """libgpuarray's allocator on OpenCL, which has no cache: one driver buffer of at least 1 byte for each request.

    Source: libgpuarray 0.7.6, src/gpuarray_buffer_opencl.c, `cl_alloc`.
    """

    def __init__(self, driver: BlockSource) -> None:
        super().__init__(driver, minimum=1)


# XLA's GPU allocator, BFC (best fit with coalescing): one pool whose blocks are split and merged, with sizes rounded to 256 bytes.
#
# Source: XLA, xla/tsl/framework/bfc_allocator.cc and .h (`AllocateRawInternal`, `FindChunkPtr`, `Extend`, `ShouldSplitChunk`, `Merge`).


SMALLEST = 256
"""Allocation granularity in bytes (`kMinAllocationSize`)."""
MOST_WASTE = 128 << 20
"""A free chunk is split if at least this many bytes would be left over, however large the request."""
FIRST_REGION = 2 << 20
"""Bytes of the first region, where the pool is not preallocated; each further region is at least twice as large as the last."""


@dataclass
class Chunk:
    """A used or free piece of a region; `before` and `after` are its neighbours there."""

    address: int
    size: int
    """Bytes of the chunk."""
    used: bool = False
    """Whether the chunk serves a request, or is free."""
    before: Chunk | None = None
    """The chunk at the next lower address of the same region."""
    after: Chunk | None = None
    """The chunk at the next higher address of the same region."""


class BfcAllocator:
    """XLA's pool of `limit` bytes (None: unlimited). A request that does not fit is stored in `shortage` and served beyond the limit.

    If the pool is preallocated, `reserved` is its high-water mark: the smallest pool that would have served all requests.
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
        """Returns the bytes that the allocator holds from the driver and that no live block uses."""
        return max(0, self.reserved - self.live)

    def largest_free(self) -> int:
        """Returns the size of the largest free chunk, within the high-water mark of a preallocated pool."""
        return max((min(size, self.reserved - address) if self.preallocated else size for size, address in self._free), default=0)

    def _find(self, rounded: int) -> Chunk | None:
        """Takes the smallest free chunk of at least `rounded` bytes off the free list, the one at the lowest address among equals; None if
        none is large enough.
        """
        at = bisect_left(self._free, (rounded, -1))
        return self._chunks[self._free.pop(at)[1]] if at < len(self._free) else None

    def _extend(self, rounded: int) -> Chunk:
        """Adds a region: the whole pool if it is preallocated, else one of the next size that is enough."""
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
        """Adds the preallocated pool as one region; a request beyond the pool's limit is placed behind it."""
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


# Pools that take blocks from the driver, split them by best fit, and never give a block back: libgpuarray's cache, and cnmem.


BLOCK_BYTES = 4 << 20
"""Smallest block that libgpuarray's cache requests from the driver."""
FRAGMENT_BYTES = 64
"""Allocation granularity of libgpuarray's cache."""
CNMEM_GRANULE_BYTES = 512
"""Allocation granularity of cnmem."""
ADDRESS_BITS = 1024
"""Number of low bits that hold the address in an entry of the free list, above which is the size; larger than any address needs."""
ADDRESS_MASK = (1 << ADDRESS_BITS) - 1
"""Mask for the bits of a free-list entry that hold the address."""


class BestFitPool:
    """A pool that serves a request from the smallest free piece that fits; among pieces of equal size, from the one with the lowest
    address.

    Requests are rounded up to a multiple of `granule` bytes. A piece is split if at least one granule is left over. A freed piece merges
    with its free neighbours in the same block of the driver, never with pieces of another block. New blocks have at least `block_bytes`;
    all blocks together have at most `max_bytes`.
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
        """Serves `nbytes` from the smallest free piece that fits, else from a new block; None if the driver or `max_bytes`
        prevents that.
        """
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
        """Returns the bytes that the allocator holds from the driver and that no live block uses."""
        return self.reserved - self.live

    def largest_free(self) -> int:
        """Returns the size of the largest free piece."""
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
        """Serves `nbytes` from the smallest free piece that fits, else from a new block; a request for 0 bytes takes nothing."""
        if nbytes:
            return super().allocate(nbytes)
        self._nowhere -= 1
        return Grant(self._nowhere, 0)

    def release(self, address: int) -> None:
        """Frees the piece at `address`, merged with its free neighbours."""
        if address >= 0:
            super().release(address)
