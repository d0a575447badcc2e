"""The interface of allocators, which serve requests out of blocks that they take from a driver; and a model of the driver: how much memory
there is, and at which address it places a new block.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from sortedcontainers import SortedDict  # type: ignore[import-untyped]

from ..settings import AddressPolicy

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
    """The first request that did not fit, in bytes."""

    requested: int
    """Bytes asked for."""
    taken: int
    """Bytes taken when the request was made."""
    limit: int
    """Bytes of the device."""


@dataclass
class Driver:
    """A device of `limit` bytes (None: unlimited).

    With `strict` a request that does not fit is refused; else it is served too, so that the need becomes known, and the first one is kept
    in `shortage`.
    """

    limit: int | None = None
    """Bytes of the device; None: unlimited."""
    policy: AddressPolicy = AddressPolicy.UP
    """Where new blocks are placed."""
    strict: bool = False
    """Whether requests that do not fit are refused."""
    taken: int = 0
    """Bytes in blocks now."""
    shortage: Shortage | None = None
    """The first request that did not fit."""
    refusals: int = 0
    """Number of requests that did not fit."""
    blocks: dict[int, int] = field(init=False)
    """Address -> size of every block; sorted by address where the policy is FIRST_FIT."""
    edge: int = BASE
    """End of the used address range: the upper one, or with `DOWN` the lower one."""

    def __post_init__(self) -> None:
        self.blocks = SortedDict() if self.policy is AddressPolicy.FIRST_FIT else {}
        if self.policy is AddressPolicy.DOWN:
            self.edge = TOP

    def take(self, nbytes: int) -> int | None:
        """Address of a new block of `nbytes`; None where it does not fit and `strict` holds."""
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
        """Takes the block at `address` back; its size in bytes."""
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
    """Where a request was served, and how many bytes it occupies."""

    address: int
    """Address of the first byte."""
    held: int
    """Bytes that the request occupies, rounding included."""


class BlockSource(Protocol):
    """A driver, as allocators see it."""

    def take(self, nbytes: int) -> int | None:
        """Address of a new block of `nbytes`, or None where there is no room."""

    def give(self, address: int) -> int:
        """Returns the block at `address` to the driver; the result is its size in bytes."""


class Allocator(Protocol):
    """Serves and releases requests; all counters are in bytes."""

    reserved: int
    """Bytes taken from the driver and not returned."""
    live: int
    """Bytes held by requests that were served and not released."""
    driver_requests: int
    """Number of requests to the driver, refused ones included."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Serves a request for `nbytes`; None where that is not possible."""

    def release(self, address: int) -> None:
        """Frees the request that was served at `address`."""

    def free_bytes(self) -> int:
        """Bytes reserved but not live."""

    def largest_free(self) -> int:
        """Size of the largest request that can be served without asking the driver."""


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
        """Takes a block of exactly `nbytes` from the driver; None where it refuses."""
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
        """Always 0: nothing is cached."""
        return 0

    def largest_free(self) -> int:
        """Always 0: nothing is cached."""
        return 0


class OpenClAllocator(DirectAllocator):
    """libgpuarray on OpenCL, which has no cache: one driver buffer for each request, of at least 1 byte.

    Source: libgpuarray 0.7.6, src/gpuarray_buffer_opencl.c, `cl_alloc`.
    """

    def __init__(self, driver: BlockSource) -> None:
        super().__init__(driver, minimum=1)
