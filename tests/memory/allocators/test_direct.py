"""Requests that go to the driver as they are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.memory.allocators import DirectAllocator, Driver


def test_nothing_is_rounded() -> None:
    """Seven bytes are seven bytes."""
    allocator = DirectAllocator(Driver())
    grant = allocator.allocate(7)
    assert grant is not None
    assert (grant.held, allocator.live, allocator.reserved) == (7, 7, 7)


def test_requests_for_nothing_have_addresses_of_their_own() -> None:
    """Two empty arrays can be released one by one, and the driver is never asked."""
    driver = Driver()
    allocator = DirectAllocator(driver)
    grants = [allocator.allocate(0) for _ in range(3)]
    assert len({g.address for g in grants if g}) == 3
    for g in grants:
        allocator.release(g.address if g else 0)
    assert (allocator.driver_requests, driver.taken) == (0, 0)


def test_with_a_minimum_nothing_is_one_byte_of_the_driver() -> None:
    """That is what libgpuarray asks for without its cache."""
    driver = Driver()
    allocator = DirectAllocator(driver, minimum=1)
    assert allocator.allocate(0) is not None
    assert (allocator.live, driver.taken, allocator.driver_requests) == (1, 1, 1)


def test_a_refusal_holds_nothing() -> None:
    """The request was made in vain."""
    allocator = DirectAllocator(Driver(limit=10, strict=True))
    assert allocator.allocate(11) is None
    assert (allocator.live, allocator.reserved, allocator.driver_requests) == (0, 0, 1)


@hypothesis(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3000)), max_size=40))
def test_what_is_reserved_is_what_is_live(requests: list[tuple[bool, int]]) -> None:
    """On random requests: the driver, the allocator and a plain sum agree, and nothing is ever free."""
    driver = Driver()
    allocator, sizes = DirectAllocator(driver), dict[int, int]()
    for release, n in requests:
        if release and sizes:
            address = sorted(sizes)[n % len(sizes)]
            allocator.release(address)
            del sizes[address]
        elif (grant := allocator.allocate(n)) is not None:
            sizes[grant.address] = n
        assert driver.taken == allocator.reserved == allocator.live == sum(sizes.values())
    assert (allocator.free_bytes(), allocator.largest_free()) == (0, 0)
