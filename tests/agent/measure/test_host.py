"""Counting host arrays."""

from __future__ import annotations

import numpy

from theanodiag.agent.measure.meters import HostMeter, buffer_of, total


def test_views_count_once_with_the_whole_of_their_base() -> None:
    """A slice of a slice holds all of the first array."""
    base = numpy.zeros(100, "float32")
    cells = [[base[10:20][2:5]], [base], [base.reshape(10, 10)]]
    assert sum(total(cells).values()) == 400


def test_an_argument_that_was_cut_out_counts_as_what_was_passed() -> None:
    """The script holds the whole of it, with or without the function; a view of the argument is still the argument's memory."""
    data = numpy.zeros((1000, 10))
    x, y, result, shared = [data[20:30]], [data[990:1000, ::2]], [None], [numpy.zeros(4)]
    own = [x, y, result, shared]
    meter = HostMeter(lambda: own)
    meter.begin_call(own, [x, y])
    assert meter.end_node(own).live == 800 + 400 + 32
    result[0] = x[0].T[::-1]
    assert meter.end_node(own).live == 800 + 400 + 32
    result[0] = numpy.zeros(1)
    assert meter.end_node(own).live == 800 + 400 + 32 + 8


def test_what_a_function_holds_whole_counts_whole() -> None:
    """A part of a shared variable's own value is no second array, and a view of what a node made holds all of that."""
    value = numpy.zeros(100)
    x, shared, result = [value[10:20]], [value], [None]
    own = [x, shared, result]
    meter = HostMeter(lambda: own)
    meter.begin_call(own, [x])
    assert meter.end_node(own).live == 800
    result[0] = numpy.zeros(50)[:2]
    assert meter.end_node(own).live == 800 + 400


def test_what_is_no_array_counts_nothing() -> None:
    """Neither numpy's scalars nor empty cells, slices and lists."""
    assert [buffer_of(v) for v in (numpy.float32(1), 1.0, [1], slice(3))] == [None] * 4
    assert total([[None]]) == {}


def test_nodes_see_their_own_cells_and_what_others_hold() -> None:
    """An array that both hold is counted once; the highest is kept until the next look."""
    shared, own, others = [numpy.zeros(10)], [None], [numpy.zeros(5)]
    meter = HostMeter(lambda: [shared, own, others])
    assert meter.look().live == 120
    meter.begin_call([shared, own])
    own[0] = numpy.zeros(100)
    assert meter.end_node([shared, own]).live == 920
    own[0] = shared[0][:3]
    assert meter.end_node([shared, own]).live == 120
    seen = meter.look()
    assert (seen.live, seen.high, meter.totals()) == (120, 920, {"peak": 920})
    assert meter.look().high == 120
