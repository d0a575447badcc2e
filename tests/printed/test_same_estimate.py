"""The estimate from the text of a compiled function beside the estimate from the live one, on every framework and in every form."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.interpreters import THOROUGH
from tests.loaded_by_path import answer
from theanodiag.ir import Unknown
from theanodiag.memory.profile import Origin
from theanodiag.printed import read_debugprint
from theanodiag.shapes.unification import completed

from .estimated import live, printed

FRAMEWORKS = ("theano", pytest.param("aesara", marks=THOROUGH), "pytensor", pytest.param("pytensor_new", marks=THOROUGH))
TYPED = ("types", "int", "storage", "maps", "info")
"""Forms with types: whole graphs, from which an estimate can be had."""
LEAST = {"theano": 60, "aesara": 60, "pytensor": 55, "pytensor_new": 45}
"""How many of the functions a framework must at least have compiled."""


def functions(name: str) -> dict[str, Any]:
    """The functions that framework `name` has, by name."""
    found: Any = answer(name, "printed/models/estimates.py")
    rows = {k: row for k, row in found.items() if "missing" not in row}
    assert len(rows) >= LEAST[name], {k: row["missing"][-200:] for k, row in found.items() if "missing" in row}
    return rows


@functools.cache
def verdicts(name: str) -> tuple[tuple[str, str, bool, bool], ...]:
    """Function, form, whether the peak is the live one, whether the text says that it may be another."""
    return tuple(_verdicts(functions(name)))


def _verdicts(rows: dict[str, Any]) -> Iterator[tuple[str, str, bool, bool]]:
    for function, row in rows.items():
        peak = live(row).figures.live_peak_bytes
        for form in row["texts"]:
            found = printed(row, form)
            marked = bool(found.unknown) or found.origin is Origin.BOUNDED
            yield function, form, found.figures.live_peak_bytes == peak, marked


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_text_never_lies(name: str) -> None:
    """In every form, the figure is the live one, or it is said to be a bound."""
    assert [(function, form) for function, form, same, marked in verdicts(name) if not same and not marked] == []


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_nearly_all_are_the_same(name: str) -> None:
    """With types, and told the shapes, at least 95 of 100 functions need what their live graph needs, in each form."""
    for form in TYPED:
        rows = [same for _, f, same, _ in verdicts(name) if f == form]
        assert sum(rows) >= 0.95 * len(rows), [function for function, f, same, _ in verdicts(name) if f == form and not same]


SIZED = (
    "named_elementwise", "neighbours", "partial_slices", "permuted", "paddings", "padded_by_shapes", "products_by_two_axes",
    "matrix_of_diagonal", "batched_algebra", "factored", "tensor_equation", "sparse_of_dense",
)  # fmt: skip
"""Functions of which each size follows from the text, however few others have their Ops."""


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_rare_ops_are_sized_exactly(name: str) -> None:
    """The peak is the live one in all forms with types, and no rule was missing; and nothing is open in the live graph."""
    rows = {function: row for function, row in functions(name).items() if function in SIZED}
    assert len(rows) >= 5
    for function, row in rows.items():
        expected = live(row)
        assert not expected.unknown, function
        for form in (f for f in row["texts"] if f in TYPED):
            found = printed(row, form)
            reasons = [str(u) for u in found.unknown if "size rule" in str(u) or "depends on" in str(u)]
            assert (function, form, found.figures.live_peak_bytes, reasons) == (function, form, expected.figures.live_peak_bytes, [])


@pytest.mark.parametrize("name", ["theano", "pytensor", pytest.param("pytensor_new", marks=THOROUGH)])
def test_what_follows_from_other_shapes_is_right(name: str) -> None:
    """Every second shape is kept back: what then follows of it is what it was."""
    right, wrong = 0, []
    for function, row in functions(name).items():
        graph = read_debugprint(row["texts"]["types"]).graph
        named = [(graph.variables[i.variable], *row["named"].get(graph.variables[i.variable].name, (None, None))) for i in graph.inputs]
        values = {v.id: value for v, _, value in named if value is not None}
        for odd in (0, 1):
            table = completed(graph, {v.id: tuple(shape) for v, shape, _ in named[odd::2] if shape is not None}, values)
            for v, shape, _ in named[1 - odd :: 2]:
                found = table.shape(v.id)
                rows = zip(found, shape or (), v.type.shape) if not isinstance(found, Unknown) else ()
                known = [(d, real) for d, real, static in rows if static is None and not isinstance(d, Unknown)]
                right += sum(d == real for d, real in known)
                wrong += [(function, v.name, d, real) for d, real in known if d != real]
    assert wrong == []
    assert right >= 40


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_without_types_all_is_open(name: str) -> None:
    """A text without types says of every function that its figures are bounds."""
    assert all(marked for _, form, _, marked in verdicts(name) if form == "default")
