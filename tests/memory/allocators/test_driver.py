"""The driver: how much there is, and where blocks lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from theanodiag.memory.allocators import ALIGNMENT, BASE, Driver, Shortage
from theanodiag.memory.settings import AddressPolicy


class TestLimit:
    """What fits."""

    def test_the_last_byte_can_be_taken(self) -> None:
        """Exactly the limit is no shortage."""
        driver = Driver(limit=1000, strict=True)
        assert driver.take(1000) is not None
        assert (driver.taken, driver.shortage) == (1000, None)

    def test_one_byte_more_is_a_shortage(self) -> None:
        """It says what was asked, what was taken and what there is."""
        driver = Driver(limit=1000)
        driver.take(1000)
        driver.take(1)
        assert driver.shortage == Shortage(1, 1000, 1000)

    def test_the_first_shortage_is_kept(self) -> None:
        """Later ones are only counted."""
        driver = Driver(limit=10)
        for n in (11, 12, 13):
            driver.take(n)
        assert driver.shortage == Shortage(11, 0, 10)
        assert driver.refusals == 3

    def test_what_is_given_back_can_be_taken_again(self) -> None:
        """The limit is on what is taken at one time."""
        driver = Driver(limit=1000, strict=True)
        address = driver.take(1000)
        assert address is not None
        driver.give(address)
        assert driver.take(1000) is not None
        assert driver.refusals == 0

    def test_without_a_limit_everything_fits(self) -> None:
        """A pebibyte is no shortage."""
        driver = Driver()
        driver.take(1 << 50)
        assert driver.shortage is None


class TestAddresses:
    """Where blocks lie."""

    @pytest.mark.parametrize("policy", AddressPolicy)
    def test_addresses_are_aligned(self, policy: AddressPolicy) -> None:
        """To 512 bytes, whatever was taken before."""
        driver = Driver(policy=policy)
        assert all((driver.take(n) or 0) % ALIGNMENT == 0 for n in (1, 511, 512, 513, 7))

    def test_first_fit_takes_a_gap_only_if_it_is_large_enough(self) -> None:
        """A gap of 512 bytes serves 512 and not 513."""
        driver = Driver(policy=AddressPolicy.FIRST_FIT)
        first, _ = driver.take(512), driver.take(512)
        assert first == BASE
        driver.give(first)
        assert driver.take(513) == BASE + 1024
        assert driver.take(512) == BASE

    def test_up_never_uses_an_address_twice(self) -> None:
        """Even of a block that went back."""
        driver = Driver()
        first = driver.take(1)
        assert first is not None
        driver.give(first)
        assert driver.take(1) == first + ALIGNMENT

    @hypothesis(deadline=None)
    @given(st.lists(st.tuples(st.booleans(), st.integers(1, 3000)), max_size=40), st.sampled_from(list(AddressPolicy)))
    def test_no_two_blocks_overlap(self, requests: list[tuple[bool, int]], policy: AddressPolicy) -> None:
        """On random requests, and what is taken is the sum of the blocks."""
        driver, blocks = Driver(policy=policy), list[int]()
        for give, n in requests:
            if give and blocks:
                driver.give(blocks.pop(n % len(blocks)))
            elif (address := driver.take(n)) is not None:
                blocks.append(address)
        spans = sorted(driver.blocks.items())
        assert all(a + size <= b for (a, size), (b, _) in zip(spans, spans[1:]))
        assert (driver.taken, len(blocks)) == (sum(size for _, size in spans), len(spans))
