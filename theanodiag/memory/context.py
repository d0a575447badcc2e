"""What exists before the script's first request: the device, its allocator, and what the start of the back-end takes.

Source: Theano 1.0.5, gpuarray/__init__.py, `init_dev`; libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c, `cuda_make_ctx`.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass

from ..ir import Unknown
from ..units import MIB, format_bytes
from .allocators.base import Allocator
from .allocators.direct import DirectAllocator, OpenClAllocator
from .allocators.driver import Driver
from .allocators.pool import CnmemAllocator, GpuArrayAllocator
from .heap import Heap
from .settings import AllocatorKind, MemorySettings

WARM_UP_BYTES = 16
"""The 2x2 float32 array with which `init_dev` wakes the BLAS up."""
LARGEST_FRACTION = 0.95
_MOST = float(1 << 63)
"""Bytes that a flag can ask for at most, whatever it says."""


@dataclass(frozen=True)
class SimulatedDevice:
    """A device on which a script can be simulated."""

    store: Heap
    driver: Driver
    refused: str | None = None
    """Why the back-end would not start on it."""


def start(settings: MemorySettings) -> SimulatedDevice:
    """A device as it is when the framework was imported."""
    limit = settings.free_bytes if settings.free_bytes is not None else settings.total_bytes
    driver = Driver(limit, settings.address_policy)
    allocator = make_allocator(settings, driver)
    refused = None
    if settings.allocator is AllocatorKind.GPUARRAY:
        refused = _start_gpuarray(settings, allocator, limit)
    return SimulatedDevice(Heap(allocator), driver, refused)


def make_allocator(settings: MemorySettings, driver: Driver) -> Allocator:
    """The allocator that the settings name."""
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
    """The requests of `init_dev`: the initial cache, the preallocation, the warm-up; why it refuses, if it does."""
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
    """What `gpuarray.preallocate` reserves; nothing where it is negative."""
    return reserved_bytes(settings.preallocate, settings.total_bytes)


def reserved_bytes(flag: float, total: int | None) -> int | Unknown:
    """What such a flag reserves: a fraction of the device up to 1 (of which 95 % at most), above that MB."""
    if flag <= 0:
        return 0
    if flag > 1:
        return int(min(flag * MIB, _MOST))
    if total is None:
        return Unknown("the flag is a fraction of a device whose size is not given")
    return int(min(flag, LARGEST_FRACTION) * total)


def cnmem_bytes(flag: float, total: int | None) -> int | Unknown:
    """What `lib.cnmem` reserves: the same, in single precision.

    Source: Theano 0.9.0, theano/sandbox/cuda/cuda_ndarray.cu, `CudaNdarray_gpu_init` (`float cnmem`; `mem = total * cnmem`).
    """
    single = _single(flag)
    if single <= 0 or single > 1 or total is None:
        return reserved_bytes(single, total)
    return int(_single(_single(total) * _single(min(single, LARGEST_FRACTION))))


def _single(number: float) -> float:
    """As a C float holds it."""
    try:
        return float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:  # packing refuses what C turns into infinity
        return math.copysign(math.inf, number)
