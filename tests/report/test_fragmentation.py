"""Reserved against live over the steps, as people see it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.memory.profile import MemoryProfile, Step
from theanodiag.report.terminal import LEVELS, WIDTH, line, timeline
from theanodiag.rules.memory.allocator import fragmentation

MIB = 1 << 20


def profile(*steps: Step) -> MemoryProfile:
    """A call with these steps."""
    made = fragmentation.fires().process.functions[0]
    return replace(made, timeline=steps)


def test_nothing_to_say_where_all_that_is_reserved_is_live() -> None:
    """As without a cache."""
    assert line(profile(Step(0, None, 5 * MIB, 5 * MIB))) is None
    assert line(profile()) is None


def test_free_memory_in_one_piece() -> None:
    """It is named, and called one piece."""
    assert line(profile(Step(3, 1, MIB, 4 * MIB, 3 * MIB, 3 * MIB))) == "reserved but not live: up to 3.0 MiB (step 3), in one piece"


def test_free_memory_in_pieces() -> None:
    """The worst step is the one with most outside of the largest piece, not the one with the highest share."""
    steps = Step(0, None, 3 * MIB, 4 * MIB, 100, 10), Step(1, 0, MIB, 8 * MIB, 7 * MIB, 4 * MIB), Step(2, 1, MIB, 8 * MIB, 7 * MIB, 5 * MIB)
    text = line(profile(*steps))
    assert text == "reserved but not live: up to 7.0 MiB (step 1); fragmentation 0.43 at step 1: 7.0 MiB free, the largest piece 4.0 MiB"


def test_the_timeline_of_the_example() -> None:
    """Reserved grows and stays; live comes and goes."""
    rows = list(timeline(fragmentation.fires().process.functions[0]))
    assert rows == ["reserved  ▄▆███ 347.3 MiB", "live      ▁▂▄▂▁ 156.4 MiB", "scattered ▆▆▆▆▆ 78%"]


@pytest.mark.parametrize("count", [1, 55, 56, 57, 1000])
def test_a_timeline_fits_into_80_columns(count: int) -> None:
    """Many steps share a column, each counted once at least."""
    steps = [Step(k, k, 0, 100 * MIB, 100 * MIB, MIB) for k in range(count)]
    steps[-1] = Step(count, count, 100 * MIB, 100 * MIB)
    reserved, live, scattered = timeline(profile(*steps))
    assert max(map(len, (reserved, live, scattered))) <= 78
    assert live[9 + min(count, WIDTH)] == LEVELS[-1]
    assert len(reserved.split()[1]) == min(count, WIDTH)


def test_no_timeline_on_the_host() -> None:
    """Nothing was taken from a driver."""
    assert list(timeline(profile(Step(0, None, 0, 0)))) == []


def test_more_is_live_during_a_step_than_is_reserved_after_it() -> None:
    """On the host memory is given back at once."""
    reserved, live, _ = timeline(profile(Step(0, None, 28, 28), Step(1, 0, 100, 40), Step(2, None, 40, 0)))
    assert (reserved[10:13], live[10:13]) == ("▂▃ ", "▂█▃")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_bars_are_as_high_as_their_share(rows: list[tuple[int, int, int]]) -> None:
    """Nothing is drawn for nothing, and something for anything."""
    steps = [Step(k, k, a, a + b + c, b + c, max(b, c)) for k, (a, b, c) in enumerate(rows)]
    drawn = list(timeline(profile(*steps), width=len(rows)))
    if drawn:
        bars = drawn[1][10 : 10 + len(rows)]
        assert [bar == " " for bar in bars] == [a == 0 for a, _, _ in rows]
