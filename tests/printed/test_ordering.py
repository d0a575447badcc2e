"""Orders and prerequisites, against brute force on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from theanodiag.printed.overwritten import fits, readers_before, schedule


@st.composite
def dags(draw: st.DrawFn) -> list[list[int]]:
    """For each node some earlier ones, under shuffled numbers."""
    n = draw(st.integers(1, 9))
    rows = [draw(st.lists(st.integers(0, i - 1), max_size=3, unique=True)) if i else [] for i in range(n)]
    number = draw(st.permutations(range(n)))
    shuffled: list[list[int]] = [[] for _ in range(n)]
    for i, row in enumerate(rows):
        shuffled[number[i]] = [number[j] for j in row]
    return shuffled


@given(dags())
def test_schedule_is_an_order(rows: list[list[int]]) -> None:
    """Each node stands behind those that it needs, and none is lost."""
    order = schedule(rows, [()] * len(rows))
    assert sorted(order) == list(range(len(rows)))
    assert fits(order, rows)
    assert not any(rows) or not fits(order[::-1], rows)


@given(dags(), st.data())
def test_prerequisites_by_brute_force(rows: list[list[int]], data: st.DataObject) -> None:
    """A node that overwrites a value waits for exactly the other nodes that read it."""
    order = schedule(rows, [()] * len(rows))
    inputs = [sorted(rows[node]) for node in order]
    outputs = [[node] for node in order]
    writers = [i for i, row in enumerate(inputs) if row]
    chosen = data.draw(st.sampled_from(writers)) if writers else None
    destroys: list[dict[int, tuple[int, ...]]] = [{0: (0,)} if i == chosen else {} for i in range(len(inputs))]
    found = readers_before(inputs, outputs, [{}] * len(inputs), destroys)
    value = inputs[chosen][0] if chosen is not None else None
    expected = [i for i, row in enumerate(inputs) if value in row and i != chosen]
    assert [list(row) for row in found] == [expected if i == chosen else [] for i in range(len(inputs))]


def test_views_count_as_what_they_show() -> None:
    """Who reads a view of a value must run before the value is overwritten."""
    found = readers_before([[0], [1], [0]], [[1], [2], [3]], [{0: (0,)}, {}, {}], [{}, {}, {0: (0,)}])
    assert found[2] == (0, 1)


def test_contradictions_do_not_hang() -> None:
    """Prerequisites in a circle still give all nodes."""
    assert sorted(schedule([[], []], [(1,), (0,)])) == [0, 1]
