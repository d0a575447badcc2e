"""Sets up a simulated device as it is before the script's first request: its allocator, and what the start of the back-end requests.

Source: Theano 1.0.5, gpuarray/__init__.py, `init_dev`; libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c, `cuda_make_ctx`.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from ..ir import Unknown
from ..units import MIB, format_bytes
from .allocators.base import Allocator, DirectAllocator, Driver, OpenClAllocator
from .allocators.pool import CnmemAllocator, GpuArrayAllocator
from .heap import Heap
from .settings import AllocatorKind, MemorySettings

WARM_UP_BYTES = 16
"""Size of the 2x2 float32 array with which `init_dev` initialises BLAS."""
LARGEST_FRACTION = 0.95
"""The largest fraction of the device that a preallocation flag can reserve."""
_MOST = float(1 << 63)
"""Maximum number of bytes that a flag can request; larger values count as this one."""


@dataclass(frozen=True)
class SimulatedDevice:
    """A device on which a script can be simulated."""

    store: Heap
    """The heap, on the allocator that the settings name."""
    driver: Driver
    """The driver below the allocator."""
    refused: str | None = None
    """Why the back-end would not start on this device; None where it starts."""


def start(settings: MemorySettings) -> SimulatedDevice:
    """A device as it is when the framework has been imported."""
    limit = settings.limit_bytes
    driver = Driver(limit, settings.address_policy)
    allocator = make_allocator(settings, driver)
    refused = None
    if settings.allocator is AllocatorKind.GPUARRAY:
        refused = _start_gpuarray(settings, allocator, limit)
    return SimulatedDevice(Heap(allocator), driver, refused)


def make_allocator(settings: MemorySettings, driver: Driver) -> Allocator:
    """The allocator that `settings.allocator` names, on `driver`."""
    if settings.allocator is AllocatorKind.GPUARRAY and settings.preallocate >= 0:
        return GpuArrayAllocator(driver, settings.max_cache_bytes)
    if settings.allocator is AllocatorKind.GPUARRAY:
        return DirectAllocator(driver, minimum=1)
    if settings.allocator is AllocatorKind.OPENCL:
        return OpenClAllocator(driver)
    if settings.allocator is AllocatorKind.CNMEM:
        reserve = cnmem_bytes(settings.cnmem, settings.total_bytes)
        return CnmemAllocator(driver, reserve if isinstance(reserve, int) else 0)
    return DirectAllocator(driver)


def _start_gpuarray(settings: MemorySettings, allocator: Allocator, limit: int | None) -> str | None:
    """Makes the requests of `init_dev`: initial cache, preallocation, warm-up. Returns why the preallocation is refused, else None."""
    requests, refused = [], None
    if settings.preallocate >= 1:
        requests.append(int(min(settings.preallocate, _MOST)))
    wanted = preallocated_bytes(settings)
    if isinstance(wanted, int) and wanted:
        taken = MIB * 4 if requests else 0
        if limit is not None and wanted > limit - taken:
            free = format_bytes(limit - taken)
            refused = f"gpuarray.preallocate asks for {format_bytes(wanted)}, {free} are free: Theano falls back to the CPU"
        else:
            requests.append(wanted)
    for nbytes in (*requests, WARM_UP_BYTES):
        grant = allocator.allocate(nbytes)
        if grant is not None:
            allocator.release(grant.address)
    return refused


def preallocated_bytes(settings: MemorySettings) -> int | Unknown:
    """Bytes that `gpuarray.preallocate` reserves; 0 where it is 0 or negative, Unknown where it is a fraction of an unknown size."""
    return reserved_bytes(settings.preallocate, settings.total_bytes)


def reserved_bytes(flag: float, total: int | None) -> int | Unknown:
    """Bytes that a preallocation flag reserves on a device of `total` bytes: up to 1 a fraction (at most 0.95), above that MB."""
    if flag <= 0:
        return 0
    if flag > 1:
        return int(min(flag * MIB, _MOST))
    if total is None:
        return Unknown("the flag is a fraction of a device of unknown size")
    return int(min(flag, LARGEST_FRACTION) * total)


def cnmem_bytes(flag: float, total: int | None) -> int | Unknown:
    """Bytes that `lib.cnmem` reserves: the same rule as `reserved_bytes`, computed in single precision.

    Source: Theano 0.9.0, theano/sandbox/cuda/cuda_ndarray.cu, `CudaNdarray_gpu_init` (`float cnmem`; `mem = total * cnmem`).
    """
    single = _single(flag)
    if single <= 0 or single > 1 or total is None:
        return reserved_bytes(single, total)
    return int(_single(_single(total) * _single(min(single, LARGEST_FRACTION))))


def _single(number: float) -> float:
    """`number` rounded to a C float."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:  # struct.pack refuses what C rounds to infinity
        return math.copysign(math.inf, number)
