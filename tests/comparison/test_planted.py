"""`compare` finds each planted difference and names its line: Theano 1.0.5 beside the changed script over compat on PyTensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag import compare
from theanodiag.comparison.model import Comparison

from ..interpreters import THOROUGH, find
from .planted import SCRIPTS, Planted, planted

OFTEN = ("another seed", "wrong sign in a step", "off-by-one slice of the data")
"""Those of which each run of the tests makes sure."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler works for these small scripts."""
    monkeypatch.setenv("THEANO_FLAGS", "mode=FAST_COMPILE,cxx=")
    monkeypatch.setenv("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=,linker=py")


def compared(difference: Planted, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """The original over Theano, which convolves in C only, beside the changed script over compat."""
    compiled = difference.script == "convolution"
    monkeypatch.setenv("THEANO_FLAGS", "mode=Mode,optimizer=fast_compile,linker=cvm" if compiled else "mode=FAST_COMPILE,cxx=")
    new = folder / f"{difference.script}.py"
    new.write_text(difference.source, encoding="utf-8")
    return compare(SCRIPTS / new.name, new, python=find("theano"), against=find("pytensor_new"), stdout=2)


def lines(found: Comparison) -> set[int]:
    """The lines that are named."""
    sides = (found.node.old, found.node.new) if found.node is not None else ()
    return {side.site.line for side in sides if side is not None and side.site is not None}


@pytest.mark.parametrize("name", OFTEN)
def test_the_line_of_a_planted_difference_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one side at least."""
    difference = next(d for d in planted() if d.name == name)
    found = compared(difference, tmp_path, monkeypatch)
    assert found.first is not None, name
    assert difference.line in lines(found), found.node or found.node_unknown


@THOROUGH
def test_all_are_found_and_nine_in_ten_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than thirty of them."""
    differences = planted()
    assert len(differences) >= 30
    results = [compared(difference, tmp_path, monkeypatch) for difference in differences]
    assert [d.name for d, c in zip(differences, results) if c.first is None] == []
    wrong = [d.name for d, c in zip(differences, results) if d.line not in lines(c)]
    assert len(wrong) <= len(differences) / 10, wrong


@pytest.mark.parametrize("script", ["recurrence", "dropout"])
def test_the_same_script_is_equal(script: str) -> None:
    """Over Theano and over compat, random streams included; no node is named."""
    path = SCRIPTS / f"{script}.py"
    found = compare(path, python=find("theano"), against=find("pytensor_new"), stdout=2)
    assert found.equal, found.first
    assert found.node is None


def test_the_same_draws_make_streams_equal_that_differ_by_design() -> None:
    """Theano's streams beside PyTensor's own: the generators are named; with the old run's numbers both compute the same."""
    scripts = SCRIPTS / "dropout.py", SCRIPTS / "dropout_native.py"
    python, against = find("theano"), find("pytensor_new")
    found = compare(*scripts, python=python, against=against, stdout=2)
    assert [f.draws for f in found.functions] == [(("MRG31k3p", "RandomState"), ("Generator",))]
    assert not found.equal
    assert found.node is not None
    assert found.node.old is not None
    assert found.node.old.site is not None
    assert found.node.old.site.code is not None
    assert found.node.old.site.code.startswith("mask = streams.binomial")
    fed = compare(*scripts, python=python, against=against, stdout=2, same_draws=True)
    assert fed.equal, fed.first
    assert fed.same_draws == (4, 0)
