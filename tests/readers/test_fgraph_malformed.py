"""Documents that are no graphs: each is refused with the place, and with no other error than ours."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ir.graphs import looped, step_graph
from theanodiag.errors import ExitCode, UnreadableError
from theanodiag.ir.serial import site_from_json, table_from_json, type_from_json
from theanodiag.readers import graph_from_document

STEP: Any = json.loads(json.dumps(step_graph().to_dict()))
LOOP: Any = json.loads(json.dumps(looped().to_dict()))
TABLE: Any = {
    "schema": "theanodiag/shapes/v1", "shapes": {"0": [2, None], "1": None}, "values": {"0": [1, 2], "1": 3}, "unknown": {"0": "data"},
    "bounded": [0], "inner": {"0": {"shapes": {"0": [1]}}},
}  # fmt: skip


def changed(document: Any, way: tuple[str | int, ...], value: object) -> Any:
    """A copy of the document with another value there; `...` takes the key away."""
    new = copy.deepcopy(document)
    here = new
    for step in way[:-1]:
        here = here[step]
    if value is ...:
        del here[way[-1]]
    else:
        here[way[-1]] = value
    return new


def complaint(read: Callable[[object], object], document: object) -> str:
    """What is said of the document."""
    with pytest.raises(UnreadableError) as caught:
        read(document)
    assert caught.value.exit_code == ExitCode.UNREADABLE
    return caught.value.message


INNER = "graph.applies[0].op.inner"


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        (("variables", 0, "type"), ..., "graph.variables[0]: has no 'type'"),
        (("variables", 0, "type", "kind"), ..., "graph.variables[0].type: has no 'kind'"),
        (("variables", 0, "type", "kind"), ["tensor"], "graph.variables[0].type.kind: expected a string, found a list"),
        (("variables", 0, "type", "kind"), {}, "graph.variables[0].type.kind: expected a string, found an object"),
        (("variables", 0, "type", "dtype"), 4, "graph.variables[0].type.dtype: expected a string, found 4"),
        (("variables", 0, "type", "shape"), [2, "x"], "graph.variables[0].type.shape[1]: expected an integer, found a string"),
        (("variables", 0), None, "graph.variables[0]: expected an object, found null"),
        (("variables", 2, "site", "path"), 3, "graph.variables[2].site.path: expected a string, found 3"),
        (("variables", 2, "site"), "model.py", "graph.variables[2].site: expected an object, found a string"),
        (("variables",), {}, "graph.variables: expected a list, found an object"),
        (("applies", 0, "op"), ..., "graph.applies[0]: has no 'op'"),
        (("applies", 0, "op", "name"), ..., "graph.applies[0].op: has no 'name'"),
        (("applies", 0, "op", "params"), [1], "graph.applies[0].op.params: expected an object, found a list"),
        (("applies", 0, "op", "destroy_map"), {"0": 1}, "graph.applies[0].op.destroy_map.0: expected a list, found 1"),
        (("applies", 0, "op", "view_map"), {"²": [0]}, "graph.applies[0].op.view_map.²: expected a number as the key"),
        (("applies", 0, "inputs"), ["x"], "graph.applies[0].inputs[0]: expected an integer, found a string"),
        (("applies", 2, "after"), 1, "graph.applies[2].after: expected a list, found 1"),
        (("applies",), "none", "graph.applies: expected a list, found a string"),
        (("inputs", 0, "variable"), ..., "graph.inputs[0]: has no 'variable'"),
        (("inputs", 0, "role"), 1, "graph.inputs[0].role: expected a string, found 1"),
        (("inputs", 1, "shared"), "W", "graph.inputs[1].shared: expected an integer, found a string"),
        (("inputs", 1, "update"), 1.5, "graph.inputs[1].update: expected an integer, found 1.5"),
        (("returned",), "one", "graph.returned: expected an integer, found a string"),
        (("info",), 3, "graph.info: expected an object, found 3"),
        (("name",), ["f"], "graph.name: expected a string, found a list"),
        (("inputs", 0, "variable"), -1, "step: an input is Variable -1, which does not exist"),
        (("applies", 0, "inputs"), [0, 9], "step: Apply 0 refers to Variable 9, which does not exist"),
        (("outputs",), [], "step: 1 outputs are returned, but there are 0"),
    ],
    ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else "",
)
def test_a_damaged_graph_is_refused_with_the_place(way: tuple[str | int, ...], value: object, message: str) -> None:
    """Each key once, missing or of another kind."""
    assert complaint(graph_from_document, changed(STEP, way, value)).startswith(message)


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        (("variables", 1, "type"), 7, f"{INNER}.variables[1].type: expected an object, found 7"),
        (("applies", 0, "op", "name"), None, f"{INNER}.applies[0].op: has no 'name'"),
        (("schema",), "v2", f"{INNER}.schema: expected 'theanodiag/graph/v1', found 'v2'"),
        (("outputs",), [2, 40], "outer, inside of for{cpu,scan_fn}: output 1 is Variable 40, which does not exist"),
    ],
    ids=["type", "op", "schema", "output"],
)
def test_damage_inside_of_a_loop_is_found_there(way: tuple[str | int, ...], value: object, message: str) -> None:
    """The way leads through the loop."""
    assert complaint(graph_from_document, changed(LOOP, ("applies", 0, "op", "inner", *way), value)) == message


@pytest.mark.parametrize(
    ("way", "value", "message"),
    [
        (("shapes", "0"), "2,3", "shapes.shapes.0: expected a list, found a string"),
        (("shapes", "0"), [True], "shapes.shapes.0[0]: expected an integer, found true or false"),
        (("shapes", "x"), [1], "shapes.shapes.x: expected a number as the key"),
        (("shapes",), [[1]], "shapes.shapes: expected an object, found a list"),
        (("values", "0"), "two", "shapes.values.0: expected a list, found a string"),
        (("values", "0"), [1, None], "shapes.values.0[1]: expected a list, found null"),
        (("unknown", "0"), 1, "shapes.unknown.0: expected a string, found 1"),
        (("bounded",), ["0"], "shapes.bounded[0]: expected an integer, found a string"),
        (("inner", "0"), 1, "shapes.inner.0: expected an object, found 1"),
        (("inner", "0", "shapes", "0"), {}, "shapes.inner.0.shapes.0: expected a list, found an object"),
    ],
    ids=lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else "",
)
def test_a_damaged_table_is_refused_with_the_place(way: tuple[str | int, ...], value: object, message: str) -> None:
    """Shapes, values, reasons, bounds and inner tables."""
    assert complaint(table_from_json, changed(TABLE, way, value)) == message


@pytest.mark.parametrize("document", [None, 3, "graph", [], True])
def test_what_is_no_object_is_no_graph(document: object) -> None:
    """Nor a table, nor a type."""
    for read in (graph_from_document, table_from_json, type_from_json):
        assert "expected an object, found " in complaint(read, document)


def test_a_site_needs_a_path_and_a_line() -> None:
    """The function and the code may be missing."""
    assert complaint(site_from_json, {"path": "m.py"}) == "site: has no 'line'"
    assert str(site_from_json({"path": "m.py", "line": 3})) == "m.py:3"


def places(document: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to every value of the document."""
    entries = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    return [here for key, value in entries for here in [(*way, key), *places(value, (*way, key))]]


JUNK = st.sampled_from([..., None, True, -1, 0, 1, 99, 1.5, "", "x", "0", [], [0], [None], [[1]], {}, {"0": [0]}, {"0": [7]}, {"x": 1}])
READERS: dict[str, tuple[Callable[[object], object], Any]] = {
    "graph": (graph_from_document, STEP),
    "loop": (graph_from_document, LOOP),
    "table": (table_from_json, TABLE),
}


def outcome(read: Callable[[object], object], document: object) -> str:
    """Whether the document is read or refused; any other error comes out."""
    try:
        read(document)
    except UnreadableError:
        return "refused"
    return "read"


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(sorted(READERS)), st.data())
def test_random_damage_never_gives_another_error(name: str, data: st.DataObject) -> None:
    """Up to three values are replaced by junk: the document is read or refused."""
    read, document = READERS[name]
    for _ in range(data.draw(st.integers(1, 3))):
        ways = places(document)
        if ways:
            document = changed(document, data.draw(st.sampled_from(ways)), data.draw(JUNK))
    assert outcome(read, document) in ("read", "refused")
