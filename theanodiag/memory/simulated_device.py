"""Sets up a simulated device as it is before the script's first request: its allocator, and what the start of the back-end requests.

Source: Theano 1.0.5, gpuarray/__init__.py, `init_dev`; libgpuarray 0.7.6, src/gpuarray_buffer_cuda.c, `cuda_make_ctx`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter

from ..ir import Unknown
from ..ops.arrays import Buffer, Tag
from ..units import MIB, format_bytes
from .allocators import Allocator, CnmemAllocator, DirectAllocator, Driver, GpuArrayAllocator, OpenClAllocator
from .profile import PREALLOCATION, Step
from .settings import AllocatorKind, MemorySettings

# Buffers on one device: who holds them, how many bytes are live, and which buffers were live at the peak.


def shared_name(name: str | None, shared: int) -> str:
    """Returns the name of a shared variable in reports: its own name, else its number."""
    return name or f"shared variable {shared}"


@dataclass
class Heap:
    """All buffers of one device, with reference counts, live and peak bytes."""

    allocator: Allocator
    """The allocator that serves the heap's requests."""
    clock: int = 0
    """Counts requests and releases; each changes it by 1."""
    peak: int = 0
    """Highest number of live bytes since `begin`."""
    peak_clock: int = 0
    """Clock at that peak."""
    high: int = 0
    """Highest number of live bytes since `mark`."""
    reserved_high: int = 0
    """Highest reserved bytes since `begin`."""
    constants: dict[int, Buffer] = field(default_factory=dict)
    """Buffers of constants, by `Constant.memory`."""
    _alive: dict[int, Buffer] = field(default_factory=dict)
    _gone: list[Buffer] = field(default_factory=list)
    """Buffers freed since `begin`."""

    @property
    def live(self) -> int:
        """Bytes that are live now, on this heap."""
        return self.allocator.live

    def begin(self) -> None:
        """Starts a new measurement of the peaks, as at the start of a call."""
        self._gone = []
        self.peak = self.high = self.live
        self.peak_clock = self.clock
        self.reserved_high = self.allocator.reserved

    def mark(self) -> int:
        """Returns the highest number of live bytes since the last call of `mark`, and starts a new measurement."""
        high, self.high = self.high, self.allocator.live
        return high

    def take(self, nbytes: int, tag: Tag | Callable[[], Tag]) -> Buffer:
        """Allocates `nbytes` labelled `tag`. Returns a buffer with one holder, the caller.

        If the request is refused, the buffer holds 0 bytes.
        """
        allocator = self.allocator
        grant = allocator.allocate(nbytes)
        clock = self.clock = self.clock + 1
        if grant is None:
            return Buffer(-clock, nbytes, 0, tag, clock, 1)
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
        """Adds one holder to a buffer."""
        buffer.holders += 1

    def drop(self, buffer: Buffer) -> None:
        """Removes one holder from a buffer; the last one releases it to the allocator."""
        buffer.holders -= 1
        if not buffer.holders:
            self.clock += 1
            buffer.died = self.clock
            if self._alive.pop(id(buffer), None) is not None:
                self._gone.append(buffer)
                self.allocator.release(buffer.address)

    def becomes(self, buffer: Buffer, tag: Tag) -> None:
        """Gives `buffer` a new label, as `Buffer.becomes` does."""
        buffer.becomes(tag)

    def at_peak(self) -> tuple[Buffer, ...]:
        """Returns the buffers that were live at the peak since `begin`, in the order in which they were allocated."""
        at = self.peak_clock
        buffers = [b for b in (*self._gone, *self._alive.values()) if b.born <= at and (b.died is None or b.died > at)]
        return tuple(sorted(buffers, key=attrgetter("born")))


@dataclass
class Recorder:
    """Records a `Step` after each node of a call: live, reserved and free bytes."""

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
    """Makes a simulated device in the state in which the framework's import leaves it."""
    limit = settings.limit_bytes
    driver = Driver(limit, settings.address_policy)
    allocator = make_allocator(settings, driver)
    refused = None
    if settings.allocator is AllocatorKind.GPUARRAY:
        refused = _start_gpuarray(settings, allocator, limit)
    return SimulatedDevice(Heap(allocator), driver, refused)


def make_allocator(settings: MemorySettings, driver: Driver) -> Allocator:
    """Makes the allocator that `settings.allocator` names, on top of `driver`."""
    if settings.allocator is AllocatorKind.GPUARRAY and settings.preallocate >= 0:
        return GpuArrayAllocator(driver)
    if settings.allocator is AllocatorKind.GPUARRAY:
        return DirectAllocator(driver, minimum=1)
    if settings.allocator is AllocatorKind.OPENCL:
        return OpenClAllocator(driver)
    if settings.allocator is AllocatorKind.CNMEM:
        reserve = cnmem_bytes(settings.cnmem, settings.total_bytes)
        return CnmemAllocator(driver, reserve if isinstance(reserve, int) else 0)
    return DirectAllocator(driver)


def _start_gpuarray(settings: MemorySettings, allocator: Allocator, limit: int | None) -> str | None:
    """Makes the requests of `init_dev`: initial cache, preallocation, warm-up. Returns why the preallocation is refused; None if it is
    not.
    """
    requests, refused = [], None
    if settings.preallocate >= 1:
        requests.append(int(min(settings.preallocate, _MOST)))
    wanted = preallocated_bytes(settings)
    if isinstance(wanted, int) and wanted:
        taken = MIB * 4 if requests else 0
        if limit is not None and wanted > limit - taken:
            free = format_bytes(limit - taken)
            refused = f"{PREALLOCATION}{format_bytes(wanted)}, but only {free} are free: Theano falls back to the CPU"
        else:
            requests.append(wanted)
    for nbytes in (*requests, WARM_UP_BYTES):
        grant = allocator.allocate(nbytes)
        if grant is not None:
            allocator.release(grant.address)
    return refused


def preallocated_bytes(settings: MemorySettings) -> int | Unknown:
    """Returns the bytes that `gpuarray.preallocate` reserves; 0 if it is 0 or negative, Unknown if it is a fraction of an unknown size."""
    return reserved_bytes(settings.preallocate, settings.total_bytes)


def reserved_bytes(flag: float, total: int | None) -> int | Unknown:
    """Returns the bytes that a preallocation flag reserves on a device of `total` bytes. Up to 1 the flag is a fraction (at most 0.95),
    above 1 a number of MB.
    """
    if flag <= 0:
        return 0
    if flag > 1:
        return int(min(flag * MIB, _MOST))
    if total is None:
        return Unknown("the flag is a fraction of a device of unknown size")
    return int(min(flag, LARGEST_FRACTION) * total)


def cnmem_bytes(flag: float, total: int | None) -> int | Unknown:
    """Returns the bytes that `lib.cnmem` reserves: the same rule as `reserved_bytes`, computed in single precision.

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
