"""Rules of Ops that few functions have, beside what the frameworks really make of the same inputs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreters import first
from tests.loaded_by_path import answer
from theanodiag.ir import Unknown
from theanodiag.ir.serial import table_from_json
from theanodiag.readers import graph_from_document
from theanodiag.shapes import infer

from .test_against_frameworks import nested

LEAST = {"theano": 11, "aesara": 11, "pytensor": 15, "pytensor_new": 15}
"""How many of the cases a framework must at least have run."""
NAMES = first(("theano", "aesara", "pytensor"), LEAST)


def compared(row: Any) -> Iterator[tuple[str, object, object]]:
    """For each result the Op that makes it, our shape, and the real one."""
    graph = graph_from_document(row["graph"], "f")
    ids = [i.variable for i in graph.inputs]
    table = infer(
        graph, {ids[k]: tuple(s) for k, s in enumerate(row["shapes"])}, {ids[int(k)]: nested(v) for k, v in row["values"].items()}
    )
    for variable, real in zip(graph.outputs, row["made"]):
        owner = graph.variables[variable].owner
        assert owner is not None
        found = table.shape(variable)
        unknown = isinstance(found, Unknown) or any(isinstance(d, Unknown) for d in found)
        yield graph.applies[owner].op.text, "unknown" if unknown else found, tuple(real)


@pytest.mark.parametrize("name", NAMES)
def test_rare_ops_have_the_shapes_that_they_have(name: str) -> None:
    """None is wrong, and none unknown."""
    found: Any = answer(name, "shapes/scripts/rare.py")
    rows = {k: row for k, row in found.items() if "missing" not in row}
    assert len(rows) >= LEAST[name], {k: row["missing"][-300:] for k, row in found.items() if "missing" in row}
    wrong = [(k, *line) for k, row in rows.items() for line in compared(row) if line[1] != line[2]]
    assert wrong == []


FOLLOWED = (
    "least_squares", "tensor_solution", "tensor_solution_by_axes", "factors", "orthogonal_factors", "pivoted_factors", "batched_factors",
    "unbatched_factors", "schur",
)  # fmt: skip
"""Cases of which the live rules leave nothing open."""


def walked(row: Any) -> Iterator[tuple[str, object, object]]:
    """For each result the Op that makes it, its shape by the live rules, and the real one; that twice where ours is a bound."""
    graph, table = graph_from_document(row["graph"], "f"), table_from_json(row["table"], "f")
    for variable, real in zip(graph.outputs, row["made"]):
        owner, found = graph.variables[variable].owner, table.shape(variable)
        assert owner is not None
        unknown = isinstance(found, Unknown) or any(isinstance(d, Unknown) for d in found)
        bound = variable in table.bounded and not unknown and all(int(str(a)) >= b for a, b in zip(found, real))
        yield graph.applies[owner].op.text, "unknown" if unknown else tuple(real) if bound else found, tuple(real)


@pytest.mark.parametrize("name", NAMES)
def test_live_rules_of_rare_ops(name: str) -> None:
    """None is wrong; of dense decompositions and solvers none is unknown."""
    found: Any = answer(name, "shapes/scripts/rare.py")
    rows = {k: row for k, row in found.items() if "missing" not in row}
    lines = [(k, *line) for k, row in rows.items() for line in walked(row) if line[1] != line[2]]
    assert [line for line in lines if line[2] != "unknown" or line[0] in FOLLOWED] == []
