"""The live shape engine and the frozen one on the same graphs, with exact, bounded and unknown inputs: the same answers."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreters import THOROUGH
from tests.loaded_by_path import answer
from theanodiag.agent.shapes.dimensions import Bound
from theanodiag.ir import FunctionGraph, ShapeTable, Unknown
from theanodiag.ir.serial import table_from_json
from theanodiag.ir.shape import Dim, is_exact
from theanodiag.readers import graph_from_document
from theanodiag.shapes import infer

from .test_against_frameworks import nested

NAMES = ("theano", "aesara", "pytensor", pytest.param("pytensor_new", marks=THOROUGH))
LEAST_OPS = {"theano": 90, "aesara": 90, "pytensor": 90, "pytensor_new": 90}
"""Classes of Ops that the graphs have at least: more than that, and the comparison would be of few."""


def rows(name: str) -> Iterator[tuple[str, Any]]:
    """All families and rare cases that a framework has."""
    for script in ("tables", "rare"):
        found: Any = answer(name, f"shapes/scripts/{script}.py")
        yield from ((family, row) for family, row in found.items() if "missing" not in row)


def dims(sizes: list[Any]) -> tuple[Dim, ...]:
    """Dimensions as the scripts write them: a number, ["<=", n], or None."""
    return tuple(Unknown("not given") if d is None else Bound(d[1]) if isinstance(d, list) else int(d) for d in sizes)


def cases(row: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Shapes, values and the live engine's table: first with all that is known."""
    yield row["shapes"] if isinstance(row["shapes"], dict) else dict(enumerate(row["shapes"])), row["values"], row["table"]
    yield from row["variants"]


def answers(graph: FunctionGraph, case: tuple[Any, Any, Any]) -> tuple[ShapeTable, ShapeTable]:
    """The frozen engine's table and the live one's."""
    sizes, values, table = case
    ids = [i.variable for i in graph.inputs]
    given = {ids[int(k)]: dims(s) for k, s in sizes.items() if graph.variables[ids[int(k)]].type.dtype is not None}
    return infer(graph, given, {ids[int(k)]: nested(v) for k, v in values.items()}, strict=True), table_from_json(table, "f")


def kind(dim: Dim, bounded: bool) -> str:
    """How much is known of a dimension."""
    return "unknown" if isinstance(dim, Unknown) else "bound" if bounded else "exact"


def difference(variable: int, frozen: ShapeTable, live: ShapeTable) -> str:
    """What differs in the shapes of a Variable; nothing where they are the same."""
    mine, theirs = frozen.shape(variable), live.shape(variable)
    if isinstance(mine, Unknown) or isinstance(theirs, Unknown):
        return "" if isinstance(mine, Unknown) and isinstance(theirs, Unknown) else f"{mine} | {theirs}"
    if len(mine) != len(theirs):
        return "number of dimensions"
    marks = variable in frozen.bounded, variable in live.bounded
    for a, b in zip(mine, theirs):
        kinds = kind(a, marks[0]), kind(b, marks[1])
        if kinds[0] != kinds[1]:
            return "frozen {}, live {}".format(*kinds)
        if kinds[0] != "unknown" and a != b:
            return f"both {kinds[0]}, {'frozen' if int(str(a)) > int(str(b)) else 'live'} is larger"
    return ""


@functools.cache
def compared(name: str) -> tuple[list[tuple[str, str, str]], frozenset[str], int]:
    """Where the engines differ (family, Op, how), the Ops that were compared, and how often an answer was compared that is no exact one.

    What an Op makes of inputs on which they differ already says nothing.
    """
    found, ops, vague = [], set(), 0
    for family, row in rows(name):
        graph = graph_from_document(row["graph"], "f")
        for case in cases(row):
            frozen, live = answers(graph, case)
            for node in graph.applies:
                if any(difference(v, frozen, live) for v in node.inputs if graph.variables[v].type.has_shape):
                    continue
                for v in node.outputs:
                    if v in live.shapes and graph.variables[v].type.has_shape:
                        ops.add(node.op.name)
                        vague += v in live.bounded or not is_exact(live.shape(v))
                        if how := difference(v, frozen, live):
                            found.append((family, node.op.name, how))
    return found, frozenset(ops), vague


@pytest.mark.parametrize("name", NAMES)
def test_both_engines_say_the_same(name: str) -> None:
    """Of every Op of every family, whether its inputs are known, bounded (all, one, along one axis), open, or of unknown values."""
    assert compared(name)[0] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_comparison_is_of_something(name: str) -> None:
    """Of so many Ops, and not only of shapes that are known in both."""
    _, ops, vague = compared(name)
    assert len(ops) >= LEAST_OPS[name]
    assert vague > 1000
