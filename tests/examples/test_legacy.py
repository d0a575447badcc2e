"""Scripts of 2015 (`examples/legacy/`) learn the same thing on Theano 1.0.5 and, by `theanodiag run`, over PyTensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters
from tests.cli.run import theanodiag

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "legacy"
COSTS = {
    "lenet": [2.3163, 2.3277, 2.1355, 2.0544, 2.0818, 1.8441, 1.6199, 1.4481, 1.3051, 1.3310],
    "lstm": [0.69840, 0.69297, 0.69300, 0.69320, 0.69234, 0.69314, 0.69273, 0.68940, 0.68514, 0.69344],
}
"""The cost of each step on Theano 1.0.5 in float32."""
FLAGS = {"THEANO_FLAGS": "floatX=float32", "PYTHONWARNINGS": "ignore"}


def costs(printed: str) -> list[float]:
    """The costs that a script printed, in order."""
    return [float(line.partition("cost ")[2].partition(",")[0]) for line in printed.splitlines()]


@pytest.mark.parametrize("name", sorted(COSTS))
@interpreters.THOROUGH
def test_on_theano(name: str) -> None:
    """The costs above are Theano's."""
    env = {"THEANO_FLAGS": "floatX=float32,linker=py,cxx=,optimizer=fast_compile"}
    done = interpreters.python("theano", "-W", "ignore", str(FOLDER / f"{name}.py"), env=env, timeout=900)
    assert costs(done.stdout) == pytest.approx(COSTS[name], rel=1e-4), done.stderr


@pytest.mark.parametrize("name", sorted(COSTS))
def test_in_c(name: str) -> None:
    """The same costs at each step over PyTensor in C, from the unmodified script."""
    done = theanodiag("run", "--mode", "c", "--python", interpreters.find("pytensor"), str(FOLDER / f"{name}.py"), env=FLAGS)
    assert costs(done.stdout) == pytest.approx(COSTS[name], rel=1e-4), done.stderr


@pytest.mark.parametrize("name", sorted(COSTS))
def test_where_jax_is_installed(name: str) -> None:
    """`auto` takes JAX, and C for a function that JAX refuses: the same costs, and --explain says which."""
    done = theanodiag("run", "--explain", "--python", interpreters.find("jax"), str(FOLDER / f"{name}.py"), env=FLAGS, timeout=600)
    assert "mode JAX" in done.stderr.splitlines()[0]
    assert costs(done.stdout) == pytest.approx(COSTS[name], rel=1e-4), done.stderr
