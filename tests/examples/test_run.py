"""The examples run as they are: by themselves on Theano, through compat on what came after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters
from tests.interpreters import first, listed

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = listed(ROOT / "examples", "*.py")
SAID = {
    "big_shared_w": ["(16, 10000)"],
    "grown_w": ["(16, 10000)"],
    "sliced_layer": ["(50, 5000)"],
    "minibatch_givens": ["batch 0: cost 0.000", "batch 1: cost 0.000", "batch 2: cost 0.000"],
    "minibatch_argument": ["batch 0: cost 0.000", "batch 1: cost 0.000", "batch 2: cost 0.000"],
    "mlp_sgd": ["epoch 0: cost 2.4637", "epoch 1: cost 2.3876", "epoch 2: cost 2.3429", "accuracy 0.148"],
}
"""What each example prints: the costs of mlp_sgd.py are those of its fixed seed, the same on every framework."""
FLAGS = "floatX=float32,linker=py,cxx="


def output(name: str, *command: str) -> list[str]:
    """The lines that an example prints, without compiling C or machine code."""
    done = interpreters.python(name, "-W", "ignore", *command, env={"THEANO_FLAGS": FLAGS, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
@pytest.mark.parametrize("name", ["theano", "theano27"])
def test_runs_on_theano(name: str, path: Path) -> None:
    """Plain `python example.py` on Theano 1.0.5, on CPython 3 and 2.7."""
    assert output(name, str(path)) == SAID[path.stem]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
@pytest.mark.parametrize("name", first(("pytensor",), ("aesara", "pytensor", "pytensor_new")))
def test_runs_on_what_came_after(name: str, path: Path) -> None:
    """The same file, unmodified, on Aesara and PyTensor."""
    assert output(name, "-m", "theanodiag.compat", str(path)) == SAID[path.stem]
