"""The allocators without a cache, and the pool of the old back-end."""

from __future__ import annotations

from theanodiag.memory.allocators import CnmemAllocator, DirectAllocator, Driver, OpenClAllocator


def test_direct_keeps_nothing() -> None:
    """Each request is a block of its own, and goes back at once."""
    allocator = DirectAllocator(Driver())
    grant = allocator.allocate(1000)
    assert grant is not None
    assert (grant.held, allocator.reserved, allocator.driver_requests) == (1000, 1000, 1)
    allocator.release(grant.address)
    assert (allocator.reserved, allocator.live, allocator.free_bytes()) == (0, 0, 0)


def test_requests_for_nothing() -> None:
    """Nothing on the host, one byte on OpenCL."""
    host, opencl = DirectAllocator(Driver()), OpenClAllocator(Driver())
    assert [a.allocate(0).held for a in (host, opencl) if a.allocate(0)] == [0, 1]
    assert host.driver_requests == 0


def test_a_driver_that_is_full_refuses() -> None:
    """A strict driver says no and takes nothing."""
    driver = Driver(limit=1000, strict=True)
    allocator = DirectAllocator(driver)
    assert allocator.allocate(600) is not None
    assert allocator.allocate(600) is None
    assert (driver.taken, driver.refusals) == (600, 1)


def test_a_driver_that_is_full_may_note_it_and_go_on() -> None:
    """So that the whole need becomes known."""
    driver = Driver(limit=1000)
    DirectAllocator(driver).allocate(1001)
    assert driver.shortage is not None
    assert (driver.shortage.requested, driver.taken) == (1001, 1001)


def test_cnmem_begins_with_its_pool() -> None:
    """What fits costs nothing more; multiples of 512 bytes."""
    allocator = CnmemAllocator(Driver(), 10_000)
    grant = allocator.allocate(1)
    assert grant is not None
    assert (grant.held, allocator.reserved, allocator.driver_requests) == (512, 10_240, 1)


def test_cnmem_grows_by_what_is_asked() -> None:
    """A request that does not fit takes a block of just its size."""
    allocator = CnmemAllocator(Driver(), 10_240)
    assert allocator.allocate(20_000) is not None
    assert allocator.reserved == 10_240 + 20_480
