"""Dimensions that are put together: beside sets that are merged one by one."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import Shape, ShapeTable, Type, Unknown
from theanodiag.ir.builder import tensor
from theanodiag.shapes.unification import Lengths

OPEN = Unknown("not given")
TYPES = st.lists(st.lists(st.sampled_from([None, None, None, 1]), max_size=3).map(lambda dims: tensor(*dims)), min_size=1, max_size=6)
PLACES = st.tuples(st.integers(0, 5), st.integers(-1, 3))
JOINS = st.lists(st.tuples(PLACES, PLACES, st.integers(0, 3)), max_size=12)
DIMS: st.SearchStrategy[int | Unknown] = st.sampled_from([OPEN, OPEN, 1, 2, 3])


def told(types: list[Type], joins: list[tuple[int, int, int, int, int]], table: ShapeTable) -> Mapping[int, Shape]:
    """What follows, by Variable."""
    lengths = Lengths(types)
    for join in joins:
        lengths.join(*join)
    return dict(lengths.new_shapes(table, range(len(types))))


def by_sets(types: list[Type], joins: list[tuple[int, int, int, int, int]], table: ShapeTable) -> Mapping[int, Shape]:
    """The same, with a set of dimensions for each length."""
    there = {(v, k) for v, kind in enumerate(types) for k in range(kind.ndim)}
    groups = {place: {place} for place in there}
    for a, i, b, k, count in joins:
        for n in range(count if min(i, k) >= 0 else 0):
            p, q = (a, i + n), (b, k + n)
            if {p, q} <= there and types[a].shape[i + n] != 1 and types[b].shape[k + n] != 1:
                both = groups[p] | groups[q]
                groups.update(dict.fromkeys(both, both))
    found: dict[int, Shape] = {}
    for v, kind in enumerate(types):
        dims = [table.shapes[v][k] for k in range(kind.ndim)]  # type: ignore[index]
        new = list(dims)
        for k, d in enumerate(dims):
            known = {table.shapes[w][m] for w, m in groups[v, k] if w not in table.bounded} - {OPEN}  # type: ignore[index]
            if d is OPEN and len(known) == 1 and known != {1}:
                new[k] = known.pop()
        if new != dims:
            found[v] = tuple(new)
    return found


@given(TYPES, JOINS)
def test_those_that_are_alike(types: list[Type], joins: list[tuple[tuple[int, int], tuple[int, int], int]]) -> None:
    """Two dimensions have one length just if a length of the one says that of the other."""
    lengths = Lengths(types)
    for (a, i), (b, k), count in joins:
        lengths.join(a % len(types), i, b % len(types), k, count)
    places = [(v, k) for v, kind in enumerate(types) for k in range(kind.ndim)]
    pairs = Lengths(types)
    for v, i, w, k in lengths.alike(range(len(types))):
        pairs.join(v, i, w, k)
    for v, k in places:
        dims: list[list[int | Unknown]] = [[OPEN] * kind.ndim for kind in types]
        dims[v][k] = 7
        table = ShapeTable({w: tuple(row) for w, row in enumerate(dims)})
        assert dict(pairs.new_shapes(table, range(len(types)))) == dict(lengths.new_shapes(table, range(len(types))))


@given(st.data(), TYPES, JOINS)
def test_as_with_sets(data: st.DataObject, types: list[Type], joins: list[tuple[tuple[int, int], tuple[int, int], int]]) -> None:
    """For any dimensions that are said to agree, those that a Variable does not have among them, and for any bounds."""
    rows = [(a % len(types), i, b % len(types), k, count) for (a, i), (b, k), count in joins]
    shapes: dict[int, Shape | Unknown] = {v: tuple(1 if d == 1 else data.draw(DIMS) for d in kind.shape) for v, kind in enumerate(types)}
    bounded = data.draw(st.frozensets(st.sampled_from(range(len(types)))))
    table = ShapeTable(shapes, bounded=bounded)
    assert told(types, rows, table) == by_sets(types, rows, table)


def test_a_shape_with_other_dimensions_than_its_type_says_nothing() -> None:
    """A text that was damaged: neither does it tell of others, nor do they tell of it."""
    types = [tensor(None, None), tensor(None, None)]
    assert told(types, [(0, 0, 1, 0, 2)], ShapeTable({0: (3, 4, 5), 1: (OPEN, OPEN)})) == {}
    assert told(types, [(0, 0, 1, 0, 2)], ShapeTable({0: (OPEN,), 1: (3, 4)})) == {}
    assert told(types, [(0, 0, 1, 0, 2)], ShapeTable({0: OPEN, 1: (3, 4)})) == {0: (3, 4)}
