"""Graphs and shape tables survive the way through JSON; damaged documents are refused with the place."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ir.graphs import looped, random_graphs, step_graph
from tests.ir.writing import table_to_json
from theanodiag.errors import UnreadableError
from theanodiag.ir import FunctionGraph, ShapeTable, Unknown
from theanodiag.ir.serial import graph_from_json, site_from_json, table_from_json, type_from_json


def through_json(document: object) -> object:
    """What arrives after writing and reading."""
    return json.loads(json.dumps(document))


@given(random_graphs())
def test_graphs_survive_json(graph: FunctionGraph) -> None:
    """Writing and reading gives an equal graph."""
    assert graph_from_json(through_json(graph.to_dict())) == graph


@pytest.mark.parametrize("make", [step_graph, looped])
def test_sites_updates_maps_and_inner_graphs_survive_json(make: object) -> None:
    """Everything that a graph can hold is written."""
    graph = make()  # type: ignore[operator]
    assert graph_from_json(through_json(graph.to_dict())) == graph


SHAPES = st.dictionaries(
    st.integers(0, 50), st.one_of(st.just(Unknown("why")), st.lists(st.one_of(st.integers(0, 9), st.just(Unknown("why")))).map(tuple))
)


@given(SHAPES, st.dictionaries(st.integers(0, 9), st.integers()), st.frozensets(st.integers(0, 9)))
def test_tables_survive_json(shapes: dict[int, tuple[int, ...]], values: dict[int, int], bounded: frozenset[int]) -> None:
    """Shapes, reasons, values, bounds and inner tables come back."""
    table = ShapeTable(dict(shapes), values, {3: ShapeTable(dict(shapes))}, bounded)
    assert table_from_json(through_json(table_to_json(table))) == table


def test_a_null_without_a_reason_is_still_unknown() -> None:
    """A dimension that nobody explained is not a number."""
    assert table_from_json({"shapes": {"0": [2, None]}}).shape(0) == (2, Unknown("no shape was inferred"))


def test_nothing_is_no_site() -> None:
    """Null stands for a Variable without a trace."""
    assert site_from_json(None) is None


def test_a_lone_type_is_read() -> None:
    """Shared variables carry a type outside of any graph."""
    assert type_from_json({"kind": "gpuarray", "dtype": "float32", "shape": [None, 1]}).shape == (None, 1)


DAMAGE = {
    ("schema",): ("theanodiag/graph/v9", "graph.schema: expected 'theanodiag/graph/v1', found 'theanodiag/graph/v9'"),
    ("variables", 1, "id"): (0, "graph.variables[1].id: expected 1, its position in the list"),
    ("variables", 0, "type", "kind"): ("cloud", "graph.variables[0].type.kind: expected one of tensor, "),
    ("variables", 0, "type", "shape"): (3, "graph.variables[0].type.shape: expected a list, found 3"),
    ("variables", 0, "name"): (5, "graph.variables[0].name: expected a string, found 5"),
    ("variables", 2, "site", "line"): (None, "graph.variables[2].site: has no 'line'"),
    ("applies", 0, "inputs"): ([True], "graph.applies[0].inputs[0]: expected an integer, found true or false"),
    ("applies", 1, "op", "view_map"): ({"a": [0]}, "graph.applies[1].op.view_map.a: expected a number as the key"),
    ("applies", 1, "op"): ([], "graph.applies[1].op: expected an object, found a list"),
    ("inputs", 0, "role"): ("guest", "graph.inputs[0].role: expected one of argument, "),
    ("outputs",): ("all", "graph.outputs: expected a list, found a string"),
}


@pytest.mark.parametrize("place", DAMAGE, ids=lambda place: ".".join(map(str, place)))
def test_a_damaged_document_is_refused_with_the_place(place: tuple[str | int, ...]) -> None:
    """The message is the way to the value and what was expected."""
    value, message = DAMAGE[place]
    document = copy.deepcopy(through_json(step_graph().to_dict()))
    here = document
    for step in place[:-1]:
        here = here[step]  # type: ignore[index]
    here[place[-1]] = value  # type: ignore[index]
    with pytest.raises(UnreadableError) as error:
        graph_from_json(document)
    assert error.value.message.startswith(message)
