"""The largest length that fits is found exactly, in few trials where the need grows in proportion."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.plans.resize import boundary


def found(need: Callable[[int], int], high: int, limit: int, told: bool = True) -> tuple[int, int]:
    """The largest length below `high` whose need is within the limit, and the number of trials; `told`: needs at both ends are known."""
    needs, tried = ({0: need(0), high: need(high)} if told else {}), []

    def fits(length: int) -> bool:
        tried.append(length)
        needs[length] = need(length)
        return needs[length] <= limit

    return boundary(0, high, fits, needs, limit), len(tried)


def stepped(first: int, slope: int, block: int) -> Callable[[int], int]:
    """A need of `first` bytes and `slope` bytes a row, in whole blocks."""
    return lambda n: -(-(first + slope * n) // block) * block


@given(st.integers(0, 10**6), st.integers(0, 5000), st.integers(1, 10**6), st.integers(1, 5000), st.integers(1, 10**7), st.booleans())
def test_it_is_the_largest_of_all(first: int, slope: int, block: int, high: int, limit: int, told: bool) -> None:
    """Of needs that grow in steps, whatever the steps and the limit; in less than three times the trials of halving."""
    need = stepped(first, slope, block)
    if need(high) <= limit:
        return
    answer, trials = found(need, high, limit, told)
    assert answer == max((n for n in range(high) if n and need(n) <= limit), default=0)
    assert trials <= 3 * high.bit_length()


@pytest.mark.parametrize("limit", [200_000, 654_321, 999_999])
def test_two_trials_prove_a_straight_line(limit: int) -> None:
    """The length at which it meets the limit, and the next."""
    assert found(stepped(100_000, 100, 1), 10_000, limit) == ((limit - 100_000) // 100, 2)


def test_where_nothing_helps_one_row_is_tried() -> None:
    """A need that hardly depends on the length is not halved down to one row."""
    assert found(stepped(10**6, 1, 1), 10_000, 500_000) == (0, 1)
