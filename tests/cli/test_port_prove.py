"""`theanodiag port --prove`: sources are written where their scripts compute the same in both interpreters, and nowhere else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ..interpreters import find
from .run import theanodiag

FAST = {"THEANO_FLAGS": "mode=FAST_COMPILE,cxx=,linker=py", "PYTENSOR_FLAGS": "mode=FAST_COMPILE,cxx=,linker=py"}
FILES = {
    "net/layers.py": "import theano.tensor as T\ndef dense(x, w):\n    return T.nnet.sigmoid(T.dot(x, w))\n",
    "net/train.py": """import sys
import numpy
import theano
import theano.tensor as T
from layers import dense
x = T.dmatrix('x')
w = theano.shared(numpy.ones((int(sys.argv[1]), 2)), name='w')
cost = T.sqr(dense(x, w) - 1).mean()
step = theano.function([x], cost, updates=[(w, w - T.grad(cost, w))])
for n in range(3):
    step(numpy.random.normal(size=(4, int(sys.argv[1]))))
""",
    "shape/softmax.py": "import theano, theano.tensor as T\nx = T.dvector()\ntheano.function([x], T.nnet.softmax(x))([1., 2.])\n",
    "early/raises.py": "import theano\nraise ValueError('no data')\n",
    "idle/library.py": "import theano\ndef f(x): return theano.shared(x)\n",
    "book/notes.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "code", "source": "import theano, theano.tensor as T\nx = T.dvector()\n", "outputs": []},
                {"cell_type": "code", "source": "f = theano.function([x], T.sqr(x))\nf([1., 2.])", "outputs": []},
            ],
            "nbformat": 4,
            "nbformat_minor": 4,
            "metadata": {},
        }
    ),
    "plain/other.py": "print(1)\n",
}
WHY = {
    "shape/softmax.py": "shape (1, 2) became (2,)",
    "early/raises.py": "no data",
    "idle/library.py": "called no compiled function",
}
PROVED = {"net/layers.py", "net/train.py", "book/notes.ipynb"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A folder with a script and its module that move well, and others that do not."""
    for name, text in FILES.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "run.toml").write_text('[arguments]\n"train*.py" = ["5"]\n', encoding="utf-8")
    return tmp_path / "src"


def test_what_proved_equal_is_written_and_the_rest_named(tree: Path) -> None:
    """Theano 1.0.5 beside the newest PyTensor; a second run has nothing to prove but what is left."""
    options = ("--python", find("theano"), "--against", find("pytensor_new"), "--arguments", str(tree.parent / "run.toml"), "--unsafe")
    done = theanodiag("port", str(tree), "--prove", *options, "--format", "json", env=FAST, timeout=900)
    assert done.returncode == 1, done.stderr
    files = {Path(f["path"]).relative_to(tree).as_posix(): f for f in json.loads(done.stdout)["files"]}
    proofs = {name: f["proof"] for name, f in files.items() if "proof" in f}
    assert {name for name, proof in proofs.items() if proof["proved"]} == PROVED
    assert proofs["net/layers.py"]["scripts"] == [str(tree / "net/train.py")]
    assert proofs["net/train.py"]["values"] == 6
    assert {name: why in proofs[name]["reason"] for name, why in WHY.items()} == dict.fromkeys(WHY, True), proofs
    for name, text in FILES.items():
        now = (tree / name).read_text(encoding="utf-8")
        assert (now != text) == (name in PROVED), name
    assert "theano" not in (tree / "net/train.py").read_text(encoding="utf-8")
    assert not list(tree.rglob("*.theanodiag-*"))
    named = [line for line in done.stderr.splitlines() if line.startswith("theanodiag: script ")]
    assert any(f" of 5: the new run of train.py with {find('pytensor_new')}..." in line for line in named), done.stderr


def test_a_source_of_python2_needs_a_python2(tmp_path: Path) -> None:
    """Which the reason says; the last line counts what was proved, not only what would change."""
    (tmp_path / "old.py").write_text("import theano\nprint theano.__version__\n", encoding="utf-8")
    options = ("--python", find("theano"), "--against", find("pytensor"), "--python2to3")
    done = theanodiag("port", str(tmp_path), "--prove", *options, env=FAST, timeout=300)
    assert done.returncode == 1
    *_, reason, counts = done.stderr.splitlines()
    assert "it is a Python 2 source: name a Python 2.7 interpreter that has Theano with --python" in reason
    assert reason.endswith("or prove the port of a copy in Python 3 (theanodiag port --to theano --python2to3 --into COPY)")
    assert counts.endswith(", 0 of 1 proved and written"), counts


def test_it_wants_both_interpreters(tree: Path) -> None:
    """And they want it."""
    assert theanodiag("port", str(tree), "--prove", "--python", "python3").returncode == 2
    assert theanodiag("port", str(tree), "--python", "python3", "--against", "python3").returncode == 2


def test_it_refuses_where_git_has_changes(tree: Path) -> None:
    """As --write does: nothing is run there."""
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    done = theanodiag("port", str(tree), "--prove", "--python", "python3", "--against", "python3")
    assert done.returncode == 2
    assert "not committed" in done.stderr


def test_a_port_that_imports_theanodiag_is_proved_where_it_is_not_installed(tmp_path: Path) -> None:
    """It is lent for the run, and the last lines say what is left to do."""
    (tmp_path / "max.py").write_text(
        "import theano, theano.tensor as T\nfrom theano.tensor.signal import pool\nx = T.dtensor4()\n"
        "f = theano.function([x], pool.pool_2d(x, (2, 2), ignore_border=True))\nf([[[[1., 2.], [3., 4.]]]])\n",
        encoding="utf-8",
    )
    new, env = find("pytensor"), {**FAST, "PYTHONPATH": ""}  # nor found by a path
    done = theanodiag("port", str(tmp_path), "--prove", "--python", find("theano"), "--against", new, env=env, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "theanodiag.legacy" in (tmp_path / "max.py").read_text(encoding="utf-8")
    assert f"theanodiag was lent to the ported scripts, which import it; to run it there: {new} -m pip install theanodiag" in done.stderr


def test_modules_of_tests_hinder_no_proof(tmp_path: Path) -> None:
    """Python alone cannot run them; the package is proved by its script, and they are named."""
    files = {
        "net.py": "import theano.tensor as T\ndef square(x):\n    return T.sqr(x)\n",
        "main.py": "import theano, theano.tensor as T, net\nx = T.dvector()\ntheano.function([x], net.square(x))([1., 2.])\n",
        "tests/test_net.py": "import theano\nimport net\ndef test_it():\n    assert net.square\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = ("--python", find("theano"), "--against", find("pytensor"))
    done = theanodiag("port", ".", "--prove", *options, env=FAST, cwd=str(tmp_path), timeout=300)
    unchanged = [name for name, text in files.items() if (tmp_path / name).read_text(encoding="utf-8") == text]
    assert unchanged == ["tests/test_net.py"], done.stderr
    assert "tests/test_net.py: not written: pytest runs it, not Python: run these tests with the port" in done.stderr


def test_the_reason_has_a_place_with_quiet_too(tmp_path: Path) -> None:
    """The line of the port that raised."""
    (tmp_path / "old.py").write_text("import theano\nassert theano.__version__ < '2'\n", encoding="utf-8")
    options = ("--python", find("theano"), "--against", find("pytensor"), "-q")
    done = theanodiag("port", "old.py", "--prove", *options, env=FAST, cwd=str(tmp_path), timeout=300)
    assert "old.py: not written: old.py: the port ends early: old.py:2: AssertionError\n" in done.stderr
