"""The releases of PyTensor over which legacy code runs: what pip gives on each Python is one of them, or is refused by name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.interpreters import ROOT, find, python
from theanodiag.compat.supported_releases import NEWEST, OLDEST, RefusingFinder

SCRIPT = """
import numpy as np, theano, theano.tensor as T
from theano.tensor.signal.pool import pool_2d
x = T.ftensor4()
print(theano.function([x], pool_2d(x, (2, 2), ignore_border=True))(np.arange(16, dtype="f").reshape(1, 1, 4, 4)).ravel().tolist())
"""
OLD = ("pytensor2", "pytensor_310")
GIVEN = {"pytensor_310": "3.10", "pytensor": "3.11", "pytensor_312": "3.12", "pytensor_new": "3.13"}
"""Interpreter -> the Python for which pip chose its PyTensor."""


def release(name: str) -> str:
    """Version of the PyTensor of an interpreter."""
    said = python(name, "-c", "from importlib.metadata import version; print(version('pytensor'))")
    return said.stdout.strip()


@pytest.mark.parametrize("name", GIVEN)
def test_what_pip_gives_is_in_the_table(name: str) -> None:
    """With the version, and with `yes` exactly where it lies within the window."""
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in (ROOT / "docs" / "run.md").read_text("utf-8").splitlines()]
    found = release(name)
    (row,) = (row for row in rows if len(row) == 3 and GIVEN[name] in row[0].split(", "))
    assert row[1].split(",")[0] == found
    within = OLDEST <= tuple(map(int, found.split(".")[:2])) <= NEWEST
    assert (row[2] == "yes") == within


def test_the_documents_name_the_window() -> None:
    """README and the page of the command."""
    window = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    for name in ("README.md", "docs/run.md"):
        assert window in (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*GIVEN, "pytensor2"])
def test_a_script_with_pooling(name: str, tmp_path: Path) -> None:
    """It runs within the window; outside exit code 3 and one sentence stand for the script, with what to do."""
    script = tmp_path / "net.py"
    script.write_text(SCRIPT)
    done = theanodiag("run", "--python", find(name), str(script))
    if name not in OLD:
        assert (done.returncode, done.stdout) == (0, "[5.0, 7.0, 13.0, 15.0]\n"), done.stderr
        return
    assert (done.returncode, done.stdout) == (3, "")
    what, advice = done.stderr.splitlines()
    assert what == f"theanodiag: PyTensor {release(name)} is too old to replace Theano: 3.0 or newer is needed"
    assert re.fullmatch(r"help: (there is none for Python 3\.10: name an interpreter|pip install 'pytensor>=3.0' there, or name).*", advice)


@pytest.mark.parametrize("name", OLD)
def test_check_says_why(name: str, tmp_path: Path) -> None:
    """`import theano` names the release; a script that imports PyTensor itself is checked as before."""
    script = tmp_path / "net.py"
    script.write_text(SCRIPT)
    done = theanodiag("check", str(script), "--python", find(name), "--gpu", "none")
    assert done.returncode == 3
    assert f"PyTensor {release(name)} is too old to replace Theano" in " ".join(done.stdout.split())
    script.write_text("import pytensor, pytensor.tensor as pt\nx = pt.fmatrix('x')\npytensor.function([x], x * 2)([[1.0]])\n")
    done = theanodiag("check", str(script), "--python", find(name), "--gpu", "none")
    assert done.returncode == 0, done.stderr


def test_other_names_are_left_to_others() -> None:
    """Only what was asked for is refused, with both halves of the sentence."""
    finder = RefusingFinder(["theano"], "what|what to do")
    assert finder.find_spec("theano_pymc") is None
    with pytest.raises(ImportError, match="what; what to do"):
        finder.find_spec("theano")
