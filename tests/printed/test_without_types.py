"""The estimate from a text without types, told floatX and the dtypes of some inputs, beside that from the same text with types."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from tests.interpreters import THOROUGH, corpus, listed
from tests.loaded_by_path import answer
from theanodiag.devices import HOST
from theanodiag.ir import FunctionGraph
from theanodiag.printed import DebugPrint, read_debugprint
from theanodiag.workflows import printed_report
from theanodiag.workflows.printed_report import Dtypes, PrintedOutcome

FRAMEWORKS = ("theano", pytest.param("aesara", marks=THOROUGH), "pytensor", pytest.param("pytensor_new", marks=THOROUGH))
SHARE = {"theano": 0.98, "aesara": 0.98, "pytensor": 0.95, "pytensor_new": 0.95}
"""Least share of functions with the same peak."""
LOW = {"pytensor": {"regularised_inverse", "gradient_of_nested_loops"}, "pytensor_new": {"regularised_inverse"}}
"""Functions whose figure is too low without being a bound: PyTensor knows a length that the text does not print (a constant that is
shortened, or one that its own rules find and ours do not), so that two types differ there, and nothing is overwritten."""
DOUBLE = {"creation", "linear_algebra", "one_hot", "random_streams", "padded_by_shapes", "paddings", "logp_and_its_gradient"}
"""Functions that make arrays of the floatX that they were compiled with."""


class Both(NamedTuple):
    """One function."""

    typed: PrintedOutcome
    assumed: PrintedOutcome


def inputs(graph: FunctionGraph) -> dict[str, str | None]:
    """The dtypes of the inputs with a name."""
    rows = [graph.variables[i.variable] for i in graph.inputs]
    return {v.name: v.type.dtype for v in rows if v.name and not v.name.startswith("<")}


def outcome(text: DebugPrint, named: Mapping[str, Any], dtypes: Dtypes | None = None) -> PrintedOutcome:
    """The estimate, told the shapes and whole numbers that the inputs have."""
    known = inputs(text.graph)
    shapes = {k: tuple(shape) for k, (shape, _) in named.items() if k in known}
    values = {k: value for k, (_, value) in named.items() if k in known and value is not None}
    return printed_report.outcome(text, shapes, HOST, values, dtypes=dtypes)


def both(row: Any) -> Both:
    """The estimates from the two texts of a function."""
    typed, untyped = read_debugprint(row["texts"]["types"]), read_debugprint(row["texts"]["default"])
    known = inputs(untyped.graph)
    named = {k: d for k, d in inputs(typed.graph).items() if d is not None and d != "float32" and k in known}
    return Both(outcome(typed, row["named"]), outcome(untyped, row["named"], Dtypes("float32", named)))


@functools.cache
def functions(name: str, flags: str = "") -> dict[str, Both]:
    """All functions of a framework."""
    told = {"flags": flags} if flags else {}  # so that other tests get the same answer
    found: Any = answer(name, "printed/models/estimates.py", **told)
    return {k: both(row) for k, row in found.items() if "missing" not in row}


def lower(found: Mapping[str, Both]) -> set[str]:
    """The functions whose figure is too low, and is no bound."""
    rows = {k: b for k, b in found.items() if b.assumed.peaks[0] < b.typed.peaks[0]}
    return {k for k, b in rows.items() if len(b.assumed.process.functions[0].unknown) <= len(b.typed.process.functions[0].unknown)}


@pytest.mark.parametrize("name", [pytest.param(n, marks=THOROUGH) for n in SHARE])
def test_nearly_all_are_the_same(name: str) -> None:
    """Of functions that are compiled with floatX=float32; what errs to the lower side is known."""
    found = functions(name, "floatX=float32")
    same = [k for k, b in found.items() if b.assumed.peaks[0] == b.typed.peaks[0]]
    assert len(same) >= SHARE[name] * len(found), found.keys() - set(same)
    assert lower(found) <= LOW.get(name, set())


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_most_are_the_same_whatever_floatx_was(name: str) -> None:
    """Compiled with the default, float64, for inputs of float32: what is made of no input is then taken to be half as large as it is."""
    found = functions(name)
    same = [k for k, b in found.items() if b.assumed.peaks[0] == b.typed.peaks[0]]
    assert len(same) >= 0.9 * len(found), found.keys() - set(same)
    assert lower(found) <= LOW.get(name, set()) | DOUBLE


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_all_have_a_figure(name: str) -> None:
    """Without types there is hardly one; what is left open is said to be."""
    for k, b in functions(name).items():
        profile = b.assumed.process.functions[0]
        assert profile.figures.live_peak_bytes > 0, k
        assert not b.assumed.shaped.untyped or profile.unknown, k


def test_what_people_paste_has_a_figure() -> None:
    """Of texts that print no types, from the net; and none is a crash."""
    counted = 0
    for path in listed(corpus() / "debugprint", "*.txt"):
        text = read_debugprint(path.read_text(encoding="utf-8", errors="replace"))
        if not text.main.untyped:
            continue
        graph = text.graph
        shapes = {v.name: (8, 8) for i in graph.inputs if not (v := graph.variables[i.variable]).type.is_printed and v.name}
        printed_report.report(text, path.name, {}, dtypes=Dtypes("float32"))
        report = printed_report.report(text, path.name, shapes, dtypes=Dtypes("float32"))
        profile = report.functions[0].profile
        if profile is not None and profile.figures.live_peak_bytes:
            assert any(s.what.startswith("types of ") for s in report.skipped), path
            counted += 1
    assert counted >= 25
