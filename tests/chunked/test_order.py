"""The rows of an epoch: each one once, whatever the cut, the seed and the stripes."""

from __future__ import annotations

import numpy
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.chunked.group import Cut, EpochOrder


@st.composite
def orders(draw: st.DrawFn) -> EpochOrder:
    """A cut with whole batches, a seed or none, and stripes of any length."""
    batch = draw(st.integers(1, 9))
    cut = Cut(draw(st.integers(1, 300)), batch * draw(st.integers(1, 9)), batch)
    return EpochOrder(cut, draw(st.integers(0, 5)), draw(st.none() | st.integers(0, 99)), draw(st.integers(1, 40)))


@given(orders())
def test_each_row_stands_once_in_an_epoch(order: EpochOrder) -> None:
    """In chunks that are full but for the last one."""
    chunks = [order.rows(k) for k in range(order.cut.chunks)]
    assert sorted(numpy.concatenate(chunks).tolist()) == list(range(order.cut.rows))
    assert {len(c) for c in chunks[:-1]} <= {order.cut.chunk}
    assert 0 < len(chunks[-1]) <= order.cut.chunk


@given(orders())
def test_same_seed_and_epoch_give_the_same_order(order: EpochOrder) -> None:
    """So that a run can be repeated."""
    again = EpochOrder(order.cut, order.epoch, order.seed, order.stripe)
    assert all((order.rows(k) == again.rows(k)).all() for k in range(order.cut.chunks))


def test_without_a_seed_rows_come_as_they_are() -> None:
    """Chunk after chunk."""
    order = EpochOrder(Cut(10, 4, 2), 3)
    assert [order.rows(k).tolist() for k in range(3)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_shuffling_goes_over_all_chunks() -> None:
    """With stripes of one row the first chunk has rows from the whole source, others in each epoch."""
    firsts = [EpochOrder(Cut(1000, 100, 10), epoch, 7).rows(0) for epoch in range(3)]
    assert all(rows.min() < 100 and rows.max() > 900 for rows in firsts)
    assert len({tuple(rows) for rows in firsts}) == 3


def test_stripes_stay_together_in_a_chunk() -> None:
    """Chunks that are whole stripes take them whole, and mix their rows."""
    rows = EpochOrder(Cut(960, 96, 8), 0, 1, 12).rows(4)
    assert len({row // 12 for row in rows.tolist()}) == 96 // 12
    assert (numpy.diff(rows) != 1).sum() > 48
