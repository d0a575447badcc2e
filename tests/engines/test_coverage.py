"""What JAX, torch and numba do not take of a script, before anything runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import find
from theanodiag.findings import Finding, Severity
from theanodiag.memory.profile import Origin
from theanodiag.report.model import Report

SCRIPT = Path(__file__).parent / "scripts" / "uncovered.py"


def report(engine: str) -> Report:
    """The script for one of them."""
    python = find("torch" if engine == "torch" else "jax")
    return theanodiag.check(SCRIPT, python=python, device="none", engine=engine, stdout=os.open(os.devnull, os.O_WRONLY))


def findings(of: Report) -> list[Finding]:
    """Those of the rule."""
    return [f for f in of.findings if f.code == "TD004"]


def line(text: str) -> int:
    """The number of the line of the script that has `text`."""
    return next(k for k, row in enumerate(SCRIPT.read_text().splitlines(), 1) if text in row)


@pytest.mark.parametrize(("engine", "severity"), [("jax", Severity.ERROR), ("torch", Severity.ERROR), ("numba", Severity.WARNING)])
def test_an_op_without_code(engine: str, severity: Severity) -> None:
    """It is named, in the function that has it and in no other."""
    found = [f for f in findings(report(engine)) if "has no code for Mine" in f.message]
    assert [(f.severity, f.message.split(":")[0]) for f in found] == [(severity, "mine")]
    assert found[0].location.line == line("Mine()(pt.exp(x))")  # where it is applied, not its make_node
    assert found[0].fix is not None
    assert "register code for it" in found[0].fix.title


@pytest.mark.parametrize(("name", "advice"), [("chosen", "pt.where(mask"), ("counted", "pt.arange(100)")])
def test_what_to_write_instead(name: str, advice: str) -> None:
    """Once for each node, also where the compiler stopped at it."""
    (found,) = (f for f in findings(report("jax")) if f.message.startswith(f"{name}:"))
    assert found.fix is not None
    assert found.fix.code is not None
    assert advice in found.fix.code


def test_a_compiler_that_is_not_installed() -> None:
    """Nobody takes silence for a clean bill."""
    of = theanodiag.check(SCRIPT, python=find("jax"), device="none", engine="torch", stdout=os.open(os.devnull, os.O_WRONLY))
    assert "Ops that torch has no code for" in [s.what for s in of.skipped]


def test_a_length_that_jax_wants_as_a_number() -> None:
    """The line of the Variable, and the figures with that number."""
    of = report("jax")
    (found,) = (f for f in findings(of) if f.message.startswith("first"))
    assert found.location.line == line("rows = x[:n]")
    assert "static start/stop/step" in found.message
    first = next(f for f in of.functions if f.name == "first")
    assert first.xla is not None
    assert first.xla.output_bytes == 4 * 3 * 8


def test_what_is_not_compiled_has_a_bound() -> None:
    """One line says why, and the figures are called what they are."""
    of = report("jax")
    mine, plain = (next(f for f in of.functions if f.name == name) for name in ("mine", "plain"))
    assert mine.profile is not None
    assert plain.profile is not None
    assert (mine.profile.origin, mine.xla) == (Origin.BOUNDED, None)
    assert plain.profile.origin is Origin.DERIVED
    assert [s.what for s in of.skipped] == ["XLA's figures of mine", "XLA's figures of chosen"]
    assert not any(f.message.startswith("plain") for f in findings(of))


def test_without_that_compiler_there_is_one_line() -> None:
    """No traceback, and an upper bound."""
    of = theanodiag.check(SCRIPT, python=find("pytensor"), device="h100-80", stdout=os.open(os.devnull, os.O_WRONLY))
    assert [s.reason for s in of.skipped if s.what == "XLA's own figures"] == [
        "there is no JAX in the script's interpreter; the figures are an upper bound"
    ]
    assert {f.profile.origin for f in of.functions if f.profile is not None} == {Origin.BOUNDED}
    assert of.process.fits is True


def test_a_large_constant_becomes_a_shared_variable(tmp_path: Path) -> None:
    """The advice is in the words of the library that runs the script."""
    script = tmp_path / "model.py"
    script.write_text(CONSTANT)
    of = theanodiag.check(script, python=find("jax"), device="h100-80", stdout=os.open(os.devnull, os.O_WRONLY))
    (found,) = (f for f in of.findings if f.code == "TD323")
    assert found.fix is not None
    assert found.fix.code == "data = pytensor.shared(array, borrow=True)"


def test_a_jax_that_cannot_be_asked(tmp_path: Path) -> None:
    """A release that is not one: one line says so, and each figure is a bound."""
    package = tmp_path / "jax"
    package.mkdir()
    (package / "__init__.py").write_text("__version__ = '99'\n")
    script = tmp_path / "model.py"
    script.write_text(f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n{CONSTANT}" + CONSTANT)
    of = theanodiag.check(script, python=find("jax"), device="h100-80", stdout=os.open(os.devnull, os.O_WRONLY))
    (said,) = (s.reason for s in of.skipped if s.what.startswith("XLA"))
    assert said.startswith("the JAX in the script's interpreter cannot be asked (AttributeError")
    assert {f.profile.origin for f in of.functions if f.profile is not None} == {Origin.BOUNDED}


CONSTANT = """
import numpy, pytensor, pytensor.tensor as pt
x = pt.matrix("x")
pytensor.function([x], pt.tanh(x @ numpy.ones((2000, 3000))), name="f")(numpy.zeros((100, 2000)))
"""
