"""Other evaluation orders that a user can ask for, each of them simulated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.memory.graphs import EXACT, PLAIN, Sketch
from theanodiag.plans.graphs.lifetimes import MOST_NODES, reordered_runs


def wide_and_narrow() -> tuple[Sketch, list[int]]:
    """A narrow output that is made of a wide array, and a second one; the wide ones are asked for at once."""
    s = Sketch()
    x = s.shared((1, 4))
    (a,), (b,) = s.apply(PLAIN, [x], (100, 4)), s.apply(PLAIN, [x], (100, 4))
    (c,), (d,) = s.apply(PLAIN, [a], (1, 4)), s.apply(PLAIN, [b], (1, 4))
    (e,) = s.apply(PLAIN, [b], (1, 4))
    (f,) = s.apply(PLAIN, [c, d], (1, 4))
    return s, [e, f]


def test_order_of_outputs_is_a_way() -> None:
    """With the output that reads only one wide array at the end the other one is gone before... or not: each way is simulated."""
    s, outputs = wide_and_narrow()
    found = list(reordered_runs(s.script(outputs), EXACT, 0))
    assert [w.words for w in found] == [
        "linker=c|py runs the nodes as they are listed",
        "output 0 as the last one",
    ]
    peaks = [w.process.functions[0].figures.live_peak_bytes for w in found]
    assert len(set(peaks)) > 1


@pytest.mark.parametrize("changed", [{"allow_gc": False}, {"lift": True}])
def test_where_no_order_helps_none_is_looked_for(changed: dict[str, bool]) -> None:
    """Without garbage collection everything stays; a graph of the host is not the one that runs on a device."""
    s, outputs = wide_and_narrow()
    assert list(reordered_runs(s.script(outputs), EXACT, 0))
    assert list(reordered_runs(s.script(outputs), replace(EXACT, **changed), 0)) == []


def test_large_graphs_are_left_as_they_are() -> None:
    """A graph of more than MOST_NODES nodes is not simulated again and again."""
    s = Sketch()
    here = s.shared((1, 4))
    for _ in range(MOST_NODES + 1):
        (here,) = s.apply(PLAIN, [here], (1, 4))
    assert list(reordered_runs(s.script([here]), EXACT, 0)) == []
