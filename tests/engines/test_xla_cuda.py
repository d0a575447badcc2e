"""XLA for GPUs that are not there, with JAX's CUDA plugin: the report has what a user is told who compiles for the card."""

from __future__ import annotations

import functools
import json
import os
import statistics
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import THOROUGH, find, python
from theanodiag.devices.xla_target import CHIPS, described
from theanodiag.memory.profile import Origin
from theanodiag.memory.settings import XlaCard
from theanodiag.memory.xla.bound import bound
from theanodiag.report.model import FunctionReport, Report

from .test_xla_cpu import NAMES, SCRIPT

ORACLE = SCRIPT.with_name("oracle.py")
pytestmark = THOROUGH
CARD = "h100-80"


@functools.cache
def report(card: str = CARD) -> Report:
    """The script for a card."""
    return theanodiag.check(SCRIPT, python=find("xla"), device=card, stdout=os.open(os.devnull, os.O_WRONLY))


def function(name: str) -> FunctionReport:
    """One function of the report."""
    (found,) = (f for f in report().functions if f.name == name)
    return found


@functools.cache
def oracle(folder: Path) -> dict[str, list[int]]:
    """What XLA says where the functions are really compiled in mode JAX."""
    target = folder / "target.txt"
    target.write_text(described(CARD))
    done = python("xla", str(ORACLE), str(SCRIPT), str(target), timeout=600)
    assert done.returncode == 0, done.stderr
    return {name: row for name, *row in json.loads(done.stdout)}


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[int]]:
    """The same, once for all tests."""
    return oracle(tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("name", [name for name in NAMES if name != "back"])
def test_the_figures_are_those_of_the_compiled_function(name: str, told: dict[str, list[int]]) -> None:
    """Arguments, results and temporaries, to the byte."""
    found = function(name).xla
    assert found is not None
    assert [found.argument_bytes, found.output_bytes, found.temporary_bytes] == told[name]
    assert (found.backend, found.card) == ("cuda", "H100 80 GB")


def test_what_jax_refuses_is_said(told: dict[str, list[int]]) -> None:
    """A length that is computed: there are figures all the same, and why a user gets none."""
    found = function("back").xla
    assert told["back"][0] == "TypeError"
    assert found is not None
    assert "Shapes must be 1D sequences of concrete values" in str(found.refused)


@pytest.mark.parametrize("name", NAMES)
def test_no_call_needs_more_than_the_bound(name: str) -> None:
    """Temporaries of each call."""
    of = function(name)
    for call in of.calls:
        assert call.xla is not None
        most = bound(of.graph, call.shapes, "float64", XlaCard.of(CARD)).figures
        assert most.argument_bytes == call.xla.argument_bytes
        assert most.output_bytes == call.xla.output_bytes
        assert most.temporary_bytes >= call.xla.temporary_bytes


def test_the_bound_holds_for_functions_of_all_kinds_and_is_near() -> None:
    """Never below XLA, and half of what is not small within a quarter of it."""
    script = SCRIPT.with_name("many_functions.py")
    of = theanodiag.check(script, python=find("xla"), device=CARD, stdout=os.open(os.devnull, os.O_WRONLY))
    card = XlaCard.of(CARD)
    told = {f.name: f.calls[0].xla for f in of.functions}
    mine = {f.name: bound(f.graph, f.calls[0].shapes, "float64", card).figures for f in of.functions}
    known = [name for name, figures in told.items() if figures is not None]
    assert len(known) > 90
    assert [name for name in known if mine[name].temporary_bytes < told[name].temporary_bytes] == []  # type: ignore[union-attr]
    large = [name for name in known if told[name].sum_bytes > 200_000]  # type: ignore[union-attr]
    assert statistics.median(mine[name].sum_bytes / told[name].sum_bytes for name in large) <= 1.25  # type: ignore[union-attr]


@pytest.mark.parametrize("card", ["h200", "h100-80", "a100-40"])
def test_the_bound_holds_around_decompositions(card: str) -> None:
    """XLA holds what they give in both orders, and in an order of nodes of its own."""
    script = SCRIPT.with_name("gaussian_process.py")
    (row,) = theanodiag.check(script, python=find("xla"), device=card, stdout=os.open(os.devnull, os.O_WRONLY)).functions
    assert row.xla is not None
    most = bound(row.graph, row.calls[0].shapes, "float64", XlaCard.of(card)).figures
    assert row.xla.temporary_bytes <= most.temporary_bytes <= 1.5 * row.xla.temporary_bytes


@pytest.mark.parametrize("card", CHIPS)
def test_every_card_can_be_compiled_for(card: str, tmp_path: Path) -> None:
    """Its description is one that the compiler takes."""
    path = tmp_path / "model.py"
    path.write_text(MODEL)
    named = {"gtx-titan-x": "titan-x"}.get(card, card)
    of = theanodiag.check(path, python=find("xla"), device=named, stdout=os.open(os.devnull, os.O_WRONLY))
    (row,) = of.functions
    assert row.xla is not None, of.skipped
    assert row.profile is not None
    assert (row.xla.backend, row.profile.origin) == ("cuda", Origin.DERIVED)
    most = bound(row.graph, row.calls[0].shapes, "float64", XlaCard.of(card)).figures
    assert most.temporary_bytes >= row.xla.temporary_bytes


MODEL = """
import numpy, pytensor, pytensor.tensor as pt
x = pt.matrix("x", dtype="float32")
pytensor.function([x], pt.tanh(x @ x.T).sum(axis=0), name="f")(numpy.ones((64, 300), "float32"))
"""
