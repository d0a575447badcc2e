"""What lies in XLA's block of temporaries, by Variable and line: for this host's CPU, and for a GPU that is not there."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

import theanodiag
from tests.interpreters import THOROUGH, find
from tests.report.conftest import render
from theanodiag.memory.script import XlaTemporaries
from theanodiag.report.model import FunctionReport, Report

SCRIPTS = Path(__file__).parent / "scripts"
SCRIPT = SCRIPTS / "temporaries.py"
WAYS = [pytest.param("none", id="cpu"), pytest.param("h100-80", id="cuda", marks=THOROUGH)]


@functools.cache
def report(device: str, script: Path = SCRIPT) -> Report:
    """The script for this host, or for a card."""
    python = find("jax" if device == "none" else "xla")
    return theanodiag.check(script, python=python, device=device, engine="xla", stdout=os.open(os.devnull, os.O_WRONLY))


def function(name: str, device: str) -> FunctionReport:
    """One function."""
    return next(f for f in report(device).functions if f.name == name)


def held(name: str, device: str) -> XlaTemporaries:
    """What lies in its block of temporaries."""
    found = function(name, device).temporaries
    assert found is not None
    return found


def line(text: str) -> int:
    """The number of the line of the script that has `text`."""
    return next(k for k, row in enumerate(SCRIPT.read_text().splitlines(), 1) if text in row)


@pytest.mark.parametrize("device", WAYS)
@pytest.mark.parametrize("script", ["temporaries.py", "functions.py"])
def test_items_and_rest_are_the_block(device: str, script: str) -> None:
    """To the byte, for every function, in JSON as in the report; no more is left over than a tenth of a block or 8 KiB."""
    whole = report(device, SCRIPTS / script)
    rows = whole.to_dict()["functions"]
    asked = 0
    for f, row in zip(whole.functions, rows):  # type: ignore[call-overload]
        told, xla = row["profile"]["xla_temporaries"], row["profile"]["xla"]
        assert sum(item["bytes"] for item in told["items"]) + told["rest_bytes"] == xla["temporary_bytes"], f.name
        assert told["rest_bytes"] <= max(0.1 * xla["temporary_bytes"], 8192), f.name
        asked += 1
    assert asked == len(whole.functions) >= 5


@pytest.mark.parametrize(("device", "text", "elements"), [
    pytest.param("none", "product = ", 512 * 512, id="cpu"),
    pytest.param("h100-80", "hidden = ", 512 * 256, id="cuda", marks=THOROUGH),
])  # fmt: skip
def test_a_value_has_its_line(device: str, text: str, elements: int) -> None:
    """That of the Variable, not of what is computed with it; and its name, where it has one."""
    (found,) = [row for row in held("named", device).rows if row.kind == "value" and row.bytes == 8 * elements]
    assert found.site is not None
    assert found.site.line == line(text)
    assert found.name == ("hidden" if text == "hidden = " else None)


def test_equal_calls_of_a_library_are_told_apart() -> None:
    """JAX traces two sorts of equal arrays once; the one that is live when most is in use has the line of its own."""
    (found,) = [row for row in held("sorted", "none").rows if row.kind == "value"]
    assert found.op is not None
    assert found.op.startswith("SortOp")
    assert found.site is not None
    assert found.site.line == line("second = pt.sort")


@pytest.mark.parametrize("device", WAYS)
def test_a_loop(device: str) -> None:
    """All steps' states are the Scan's; within a step, Ops of the step's graph are named."""
    rows = held("loop", device).rows
    assert [row for row in rows if row.shape[:1] in ((40,), (41,)) and (row.op or "").startswith("Scan")]
    inside = held("forward", device).rows
    assert {row.op for row in inside if row.shape == (64, 64)} & {"Dot", "Tanh"}
    assert all(row.site is not None and row.site.path.endswith("temporaries.py") for row in (*rows, *inside) if row.op)


@THOROUGH
def test_arguments_that_are_padded_are_copies_of_them() -> None:
    """A product over 300 is cut into parts on a GPU: its argument is padded in a copy, which is called by its name."""
    (found,) = [row for row in held("padded", "h100-80").rows if row.kind == "copy" and row.name == "V"]
    assert found.op is None
    assert found.label == "copy of V"
    assert found.bytes > 300 * 200 * 8


@pytest.mark.parametrize("device", WAYS)
def test_what_is_shown(device: str) -> None:
    """Terminal and page have the names and lines."""
    whole = report(device)
    place = f"temporaries.py:{line('product = ')}"
    assert place in render(whole, functions=["named"]).rsplit("XLA's temporaries", 1)[1]
    assert place in str(whole.to("html")).split('id="temporaries"')[1]


def test_the_folder_of_the_compilers_texts_is_gone(tmp_path: Path) -> None:
    """Nothing stays behind, and the script sees no flag of ours."""
    script = tmp_path / "model.py"
    script.write_text(SCRIPT.read_text() + "import os, tempfile\nprint(os.environ.get('XLA_FLAGS'), tempfile.gettempdir())\n")
    out = tmp_path / "out"
    with open(out, "wb") as file:
        theanodiag.check(script, python=find("jax"), device="none", engine="xla", stdout=file.fileno())
    flags, folder = out.read_text().split()[-2:]
    assert flags == "None"
    assert not Path(folder).exists()


def test_a_script_that_imports_theano_has_the_same(tmp_path: Path) -> None:
    """The layer for legacy names wraps the function that PyTensor generates: bytes and lines are told all the same."""
    text = SCRIPT.read_text().replace("import pytensor\n", "import theano\nimport pytensor\n", 1)
    script = tmp_path / SCRIPT.name
    script.write_text(text.replace("import theano\n", "import theano;", 1))  # the lines stay where they are
    told, wanted = (
        {f.name: [(row.bytes, row.site and row.site.line) for row in f.temporaries.rows] for f in r.functions if f.temporaries}
        for r in (report("none", script), report("none"))
    )
    assert told == wanted
    assert told


MINIBATCHES = """
import numpy as np, theano, theano.tensor as T
data, w = theano.shared(np.ones((50, 8), "float32")), theano.shared(np.ones((8, 3), "float32"))
i, x = T.lscalar("i"), T.fmatrix("x")
cost = T.tanh(x.dot(w)).sum()
train = theano.function([i], cost, updates=[(w, w - T.grad(cost, w))], givens={x: data[i * 20 : (i + 1) * 20]})
for k in range(3):
    train(k)
"""


def test_slices_of_minibatches_of_a_script_that_imports_theano(tmp_path: Path) -> None:
    """Are compiled once for all indices, as `run` does, and once more for the last batch, which is shorter."""
    script = tmp_path / "minibatches.py"
    script.write_text(MINIBATCHES, encoding="utf-8")
    report = theanodiag.check(str(script), python=find("jax"), device="4GiB", engine="jax")
    (train,) = report.functions
    whole, again, short = (call.xla for call in train.calls)
    assert whole is not None
    assert short is not None
    assert (whole, short.refused, whole.refused) == (again, None, None)
    assert whole.temporary_bytes > short.temporary_bytes
    assert len(train.compile_seconds) == 2
    assert "TD004" not in [f.code for f in report.findings]
