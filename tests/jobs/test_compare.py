"""`compare`: differences that were planted in a script are found, and nothing else is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from theanodiag import UsageError, check, compare

from ..cli.run import theanodiag
from ..interpreters import ROOT, find

HEAD = """
import numpy as np
import pytensor
import pytensor.tensor as pt
x, y = pt.matrix("x", dtype="float64"), pt.matrix("y", dtype="float64")
A = np.random.normal(size=(3, 3))
"""
PLANTED = {
    "pt.dot(x, y)": "pt.dot(y, x)",
    "x.sum(axis=0)": "x.sum(axis=1)",
    "x[::-1]": "x",
    "x[1:]": "x[:-1]",
    "x[:2].T": "x[:2]",
    "pt.exp(x)": "pt.exp(x).astype('float32')",
    "pt.exp(-x)": "pt.exp(-x.astype('float32')).astype('float64')",
    "pt.tanh(x + 1)": "pt.tanh(x + 1.000001)",
    "x / y": "pt.floor(1000 * x / y) / 1000",
    "x.mean()": "x.sum() / 8",
    "pt.log(x)": "pt.switch(x > 0, pt.log(x), 0)",
    "pt.argmax(x, axis=1)": "pt.argmin(x, axis=1)",
}
"""What a function computes -> what it computes after a mistake."""
EQUAL = {"x * 2 + y": "y + 2 * x", "pt.sum(x * y)": "pt.dot(x.ravel(), y.ravel())"}
"""The same, computed otherwise."""
STEP = 'W = pytensor.shared(A.copy(), name="W")\nstep = pytensor.function([x], x.sum(), updates={updates})\nfor n in range(3): step(A)\n'


def script(path: Path, functions: list[str], updates: str) -> Path:
    """A script that calls each function with drawn numbers, and one with updates three times."""
    calls = "".join(
        f"f = pytensor.function([x, y], {text}, on_unused_input='ignore', name='f{n}')\nf(A, A.T + 1)\n" for n, text in enumerate(functions)
    )
    path.write_text(HEAD + calls + STEP.format(updates=updates), encoding="utf-8")
    return path


@pytest.fixture
def python(monkeypatch: pytest.MonkeyPatch) -> str:
    """An interpreter with PyTensor, which compiles nothing here."""
    monkeypatch.setenv("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=,linker=py")
    return find("pytensor")


def test_planted_differences_are_found(tmp_path: Path, python: str) -> None:
    """Each one in its function, in the first call; what is only computed otherwise is equal; of an update the first step that differs."""
    both = {**PLANTED, **EQUAL}
    old = script(tmp_path / "old.py", list(both), "{W: W * 0.5 + 0.1}")
    new = script(tmp_path / "new.py", list(both.values()), "{W: W * 0.5 + 0.1 * pt.switch(W.sum() > 2.0, 1.0, 0.9)}")
    found = compare(old, new, python=python, against=python, stdout=2)
    assert found.new.ended == found.old.ended == ""
    differ = {f.names[0] for f in found.functions if f.first is not None}
    assert differ == {f"f{n}" for n in range(len(PLANTED))} | {"step"}
    assert all(f.first.call == 0 and f.first.value == "output 0" for f in found.functions[: len(PLANTED)] if f.first)
    last = found.functions[-1].first
    assert last is not None
    assert last.value == "W after the update"
    assert not found.equal
    by_name = {f.names[0]: f.first.why for f in found.functions if f.first}
    assert by_name["f5"] == "float64 became float32"
    assert by_name["f3"].startswith("off by")
    assert by_name["f4"] == "shape (3, 2) became (2, 3)"
    assert by_name["f10"] == "not finite in one run"


@pytest.mark.parametrize("changed", range(2))
def test_shared_variables_of_one_name_are_compared_each(tmp_path: Path, python: str, changed: int) -> None:
    """Also where only the first of them is updated otherwise, which the second one does not hide."""
    source = HEAD + (
        "U, V = (pytensor.shared(A + n, name='W') for n in range(2))\n"
        "step = pytensor.function([x], x.sum(), updates=[(U, U + {} * x), (V, V + {} * x)])\nstep(A)\n"
    )
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(source.format(1, 1), encoding="utf-8")
    new.write_text(source.format(*(2 if n == changed else 1 for n in range(2))), encoding="utf-8")
    found = compare(old, new, python=python, against=python, stdout=2, find_node=False).functions[0]
    assert found.values == 3
    assert found.first is not None
    assert found.first.value == ("W after the update", "W (2) after the update")[changed]


def test_a_script_is_equal_to_itself(tmp_path: Path, python: str) -> None:
    """Also with numbers that it draws without a seed; and a tolerance decides."""
    old = script(tmp_path / "old.py", list(EQUAL), "{W: W + x.mean()}")
    done = theanodiag("compare", str(old), "--python", python, "--against", python, "--format", "json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["equal"]
    assert [f["calls"] for f in document["functions"]] == [[1, 1], [1, 1], [3, 3]]
    assert [f["values"] for f in document["functions"]] == [1, 1, 6]
    predicted = [f.profile.figures.live_peak_bytes for f in check(old, python=python, stdout=2).functions if f.profile is not None]
    assert [f["peak_bytes"] for f in document["functions"]] == [[peak, peak] for peak in predicted]
    new = script(tmp_path / "new.py", ["x * 2 + y + 1e-9", "pt.sum(x * y)"], "{W: W + x.mean()}")
    assert theanodiag("compare", str(old), str(new), "--python", python, "--against", python).returncode == 1
    done = theanodiag("compare", str(old), str(new), "--python", python, "--against", python, "--rtol", "1e-6")
    assert done.returncode == 0
    assert "\nequal\n" in done.stdout


def test_a_run_that_ends_early_is_not_equal(tmp_path: Path, python: str) -> None:
    """Nor is one in which nothing was compared."""
    old = script(tmp_path / "old.py", list(EQUAL), "{W: W}")
    new = tmp_path / "new.py"
    new.write_text(old.read_text(encoding="utf-8") + "raise ValueError('late')\n", encoding="utf-8")
    found = compare(old, new, python=python, against=python, stdout=2)
    assert "ValueError: late" in found.new.ended
    assert not found.equal
    empty = tmp_path / "empty.py"
    empty.write_text("import pytensor\n", encoding="utf-8")
    assert not compare(empty, python=python, against=python, stdout=2).equal


def test_no_call_is_no_comparison(tmp_path: Path) -> None:
    """A usage error."""
    with pytest.raises(UsageError, match="nothing would be compared"):
        compare(tmp_path / "model.py", python="python3", against="python3", calls=0)


@pytest.mark.parametrize("name", ["mlp_sgd", "sliced_layer"])
def test_a_moved_example_computes_what_theano_did(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Theano 1.0.5 beside the port over PyTensor: equal to 1e-10 in float64."""
    theano, pytensor = find("theano"), find("pytensor_new")
    monkeypatch.setenv("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=,linker=py")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    example = ROOT / "examples" / f"{name}.py"
    moved = tmp_path / f"{name}.py"
    moved.write_bytes(example.read_bytes())
    assert theanodiag("port", str(moved), "--write", "--unsafe").returncode == 0
    found = compare(example, moved, python=theano, against=pytensor, stdout=2)
    assert found.equal, found


ENDLESS = """
import sys
s = pytensor.shared(0.0, name="s")
f = pytensor.function([x], x.sum(), name="f")
g = pytensor.function([], s, updates={s: s + 1}, name="g")
print("begun in", sys.argv[1])
while True:
    f(A)
    g()
"""


def test_both_runs_stop_at_the_same_call(tmp_path: Path, python: str) -> None:
    """After as many calls in all as are asked for; that is no early end. Each line that a run prints is marked as its own."""
    endless = tmp_path / "endless.py"
    endless.write_text(HEAD + ENDLESS, encoding="utf-8")
    asked = ("--python", python, "--against", python, "--stop-after", "7", "--format", "json", "--", "here")
    done = theanodiag("compare", str(endless), *asked)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [f["calls"] for f in document["functions"]] == [[4, 4], [3, 3]]
    assert [line for line in done.stderr.splitlines() if "begun" in line] == ["old | begun in here", "new | begun in here"]
    with pytest.raises(UsageError, match="nothing would be compared"):
        compare(endless, python=python, against=python, stop_after=0)


def test_sparse_results_are_not_called_compared(tmp_path: Path, python: str) -> None:
    """Their elements are not written: the verdict says so, and a script with nothing else is not equal to itself."""
    path = tmp_path / "sparse.py"
    path.write_text(
        HEAD + "import pytensor.sparse\nf = pytensor.function([x], pytensor.sparse.csr_from_dense(x))\nf(A)\n", encoding="utf-8"
    )
    done = theanodiag("compare", str(path), "--python", python, "--against", python)
    assert done.returncode == 1, done.stderr
    assert "by dtype and shape alone: output 0" in done.stdout
