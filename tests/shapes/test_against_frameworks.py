"""Our rules beside the frameworks' own: the same graphs and inputs, live and as printed text."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreters import first
from tests.loaded_by_path import answer
from theanodiag.ir import FunctionGraph, Shape, ShapeTable, Unknown
from theanodiag.ir.serial import table_from_json
from theanodiag.printed import read_debugprint
from theanodiag.readers import graph_from_document
from theanodiag.shapes import infer

SHARES = {"theano": 0.99, "aesara": 0.99, "pytensor": 0.9, "pytensor_new": 0.9}
NAMES = first(("theano", "aesara", "pytensor"), SHARES)


def rows(name: str) -> dict[str, Any]:
    """What framework `name` says of each family of functions that it has; most of them."""
    found: Any = answer(name, "shapes/scripts/tables.py")
    kept = {family: row for family, row in found.items() if "missing" not in row}
    assert len(kept) >= 30
    return kept


def nested(value: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(nested, value)) if isinstance(value, list) else value


def inputs_of(graph: FunctionGraph, row: Any) -> tuple[dict[int, Shape], dict[int, Any]]:
    """Shapes and values of the inputs, by Variable id."""
    ids = [i.variable for i in graph.inputs]
    sized = {ids[int(k)]: tuple(s) for k, s in row["shapes"].items() if graph.variables[ids[int(k)]].type.dtype is not None}
    return sized, {ids[int(k)]: nested(v) for k, v in row["values"].items()}


def verdict(mine: ShapeTable, variable: int, theirs: Shape | Unknown) -> str:
    """How our shape of a Variable stands to the framework's."""
    found = mine.shape(variable)
    if isinstance(found, Unknown) or any(isinstance(d, Unknown) for d in found):
        return "unknown"
    if found == theirs:
        return "equal"
    if isinstance(theirs, Unknown) or any(isinstance(d, Unknown) for d in theirs):
        return "more"
    looser = variable in mine.bounded and all(int(str(a)) >= int(str(b)) for a, b in zip(found, theirs))
    return "bound" if looser else "wrong"


@functools.cache
def live(name: str) -> Counter[str]:
    """Verdicts on all Variables of the live graphs; wrong ones with their Op."""
    return Counter(v for row in rows(name).values() for v in _live(row))


def _live(row: Any) -> Iterator[str]:
    graph, theirs = graph_from_document(row["graph"], "f"), table_from_json(row["table"], "f")
    mine = infer(graph, *inputs_of(graph, row), strict=True)
    for node in graph.applies:
        for variable in node.outputs:
            if variable in theirs.shapes:
                found = verdict(mine, variable, theirs.shape(variable))
                yield f"wrong: {node.op.text}" if found == "wrong" else found


@functools.cache
def printed(name: str) -> Counter[str]:
    """The same for the printed text of the same functions."""
    return Counter(v for row in rows(name).values() for v in _printed(row))


def _printed(row: Any) -> Iterator[str]:
    graph, theirs = graph_from_document(row["graph"], "f"), table_from_json(row["table"], "f")
    text = read_debugprint(row["text"]).graph
    assert [n.op.text for n in text.applies] == [n.op.text for n in graph.applies]
    same = {a: b for x, y in zip(graph.applies, text.applies) for a, b in zip(x.inputs + x.outputs, y.inputs + y.outputs)}
    sized, values = inputs_of(graph, row)
    mine = infer(text, *[{same[v]: s for v, s in known.items() if v in same} for known in (sized, values)], strict=True)
    for node in graph.applies:
        for variable in node.outputs:
            if variable in theirs.shapes and variable in same:
                found = verdict(mine, same[variable], theirs.shape(variable))
                yield f"wrong: {node.op.text}" if found == "wrong" else found


@pytest.mark.parametrize("name", NAMES)
def test_no_shape_of_a_live_graph_is_wrong(name: str) -> None:
    """Each is the framework's own, or a bound above it, or Unknown."""
    assert [v for v in live(name) if v.startswith("wrong")] == []


@pytest.mark.parametrize("name", NAMES)
def test_no_shape_of_a_printed_graph_is_wrong(name: str) -> None:
    """The same without the framework."""
    assert [v for v in printed(name) if v.startswith("wrong")] == []


@pytest.mark.parametrize("name", NAMES)
def test_most_shapes_of_live_graphs_are_known(name: str) -> None:
    """PyTensor hides what a live Composite computes behind three dots."""
    assert live(name)["equal"] >= SHARES[name] * live(name).total()


@pytest.mark.parametrize("name", NAMES)
def test_most_shapes_of_printed_graphs_are_known(name: str) -> None:
    """PyTensor prints its Composites below the graph, so they are followed there."""
    assert printed(name)["equal"] >= 0.95 * printed(name).total()
