"""What exists before the script's first request: the allocator that the settings name, and what the start takes."""

from __future__ import annotations

import pytest

from theanodiag.ir import Unknown
from theanodiag.memory.allocators import CnmemAllocator, DirectAllocator, Driver, GpuArrayAllocator, OpenClAllocator
from theanodiag.memory.settings import AllocatorKind, MemorySettings
from theanodiag.memory.simulated_device import make_allocator, preallocated_bytes, reserved_bytes, start

MIB = 1 << 20
BLOCK = 4 * MIB


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (MemorySettings(), GpuArrayAllocator),
        (MemorySettings(preallocate=0.5, total_bytes=MIB), GpuArrayAllocator),
        (MemorySettings(preallocate=-1.0), DirectAllocator),
        (MemorySettings(allocator=AllocatorKind.OPENCL), OpenClAllocator),
        (MemorySettings(allocator=AllocatorKind.CNMEM, cnmem=0.5, total_bytes=MIB), CnmemAllocator),
        (MemorySettings(allocator=AllocatorKind.DIRECT), DirectAllocator),
    ],
    ids=["cache", "preallocated", "no cache", "opencl", "cnmem", "host"],
)
def test_the_allocator_is_the_one_that_the_settings_name(settings: MemorySettings, expected: type) -> None:
    """A negative preallocation turns the cache off; OpenCL never has one."""
    assert type(make_allocator(settings, Driver())) is expected


@pytest.mark.parametrize(
    ("flag", "total", "expected"),
    [
        (-1.0, 100 * MIB, 0),
        (0.0, 100 * MIB, 0),
        (0.25, 100 * MIB, 25 * MIB),
        (0.95, 100 * MIB, 95 * MIB),
        (0.99, 100 * MIB, 95 * MIB),
        (1.0, 100 * MIB, 95 * MIB),
        (1.5, 100 * MIB, 3 * MIB // 2),
        (2.0, None, 2 * MIB),
        (0.0, None, 0),
    ],
)
def test_what_a_flag_reserves(flag: float, total: int | None, expected: int) -> None:
    """Up to 1 a fraction of the device, 95 % at most; above that MB, of which 1.5 is one and a half."""
    assert reserved_bytes(flag, total) == expected


def test_a_fraction_of_an_unknown_device_is_unknown() -> None:
    """It is no number, and says why."""
    found = preallocated_bytes(MemorySettings(preallocate=0.5))
    assert isinstance(found, Unknown)
    assert "device of unknown size" in found.reason


@pytest.mark.parametrize(
    ("flag", "blocks"),
    [(0.0, [BLOCK]), (0.5, [50 * MIB]), (1.0, [BLOCK, 95 * MIB]), (1.5, [BLOCK]), (3.0, [BLOCK]), (5.0, [BLOCK, 5 * MIB]), (-1.0, [])],
)
def test_blocks_that_the_start_takes(flag: float, blocks: list[int]) -> None:
    """The warm-up's 16 bytes take 4 MiB unless there is a block; any flag of 1 or more first takes a 4 MiB block."""
    device = start(MemorySettings(preallocate=flag, total_bytes=100 * MIB))
    assert list(device.driver.blocks.values()) == blocks
    assert device.store.live == 0


@pytest.mark.parametrize(("free", "refused"), [(51 * MIB, False), (50 * MIB, False), (50 * MIB - 1, True)])
def test_a_preallocation_above_what_is_free_is_refused(free: int, refused: bool) -> None:
    """Half of 100 MiB fits into exactly 50 MiB and not into a byte less."""
    device = start(MemorySettings(preallocate=0.5, total_bytes=100 * MIB, free_bytes=free))
    assert (device.refused is not None) is refused


def test_after_a_refusal_only_the_warm_up_was_asked_for() -> None:
    """The reserve is not taken; the text says what was asked and what there is."""
    device = start(MemorySettings(preallocate=200.0, total_bytes=100 * MIB))
    assert sum(device.driver.blocks.values()) == BLOCK
    assert device.refused == "gpuarray.preallocate requests 200.0 MiB, but only 96.0 MiB are free: Theano falls back to the CPU"


def test_free_memory_is_the_limit_where_it_is_known() -> None:
    """Else it is the whole device, and without a size there is no limit."""
    assert start(MemorySettings(total_bytes=100, free_bytes=60)).driver.limit == 60
    assert start(MemorySettings(total_bytes=100)).driver.limit == 100
    assert start(MemorySettings()).driver.limit is None


def test_the_host_takes_nothing_at_the_start() -> None:
    """There is no back-end to warm up."""
    device = start(MemorySettings(allocator=AllocatorKind.DIRECT))
    assert (device.driver.taken, device.refused) == (0, None)


def test_a_pool_of_unknown_size_begins_empty() -> None:
    """`lib.cnmem=0.5` on a device without a size grows from nothing."""
    assert start(MemorySettings(allocator=AllocatorKind.CNMEM, cnmem=0.5)).driver.taken == 0
