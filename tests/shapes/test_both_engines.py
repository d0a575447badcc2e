"""The live shape engine and the frozen one on the same graphs, with exact, bounded and unknown inputs: the same answers, or a reason."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreters import THOROUGH
from tests.loaded_by_path import answer
from theanodiag.ir import FunctionGraph, ShapeTable, Unknown
from theanodiag.ir.shape import Dim
from theanodiag.readers import fgraph
from theanodiag.shapes import infer
from theanodiag.shapes.bound import Bound

from .test_against_frameworks import nested

NAMES = ("theano", "aesara", "pytensor", pytest.param("pytensor_new", marks=THOROUGH))


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
    return infer(graph, given, {ids[int(k)]: nested(v) for k, v in values.items()}), fgraph.read_shapes(table, "f")


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
def differences(name: str) -> Counter[tuple[str, str]]:
    """How often the engines differ, by Op and how."""
    found: Counter[tuple[str, str]] = Counter()
    for family, row in rows(name):
        graph = fgraph.read_graph(row["graph"], "f")
        for case in cases(row):
            frozen, live = answers(graph, case)
            for node in graph.applies:
                if any(difference(v, frozen, live) for v in node.inputs):
                    continue  # what is wrong before is said there
                for v in node.outputs:
                    if v in live.shapes and (how := difference(v, frozen, live)):
                        found[node.op.name, how] += 1
    return found
