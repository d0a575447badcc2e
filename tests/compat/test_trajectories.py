"""Legacy recurrent and stochastic scripts, run step by step on Theano 1.0.5 and over PyTensor with the same seed."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from tests import interpreters

from .conftest import COMPAT

SCRIPTS = Path(__file__).resolve().parent / "scripts"
NAMES = sorted(path.stem[len("trajectory_") :] for path in SCRIPTS.glob("trajectory_*.py"))
FLAGS = {"THEANO_FLAGS": "floatX=float32"}


def losses(interpreter: str, *command: str, env: dict[str, str]) -> list[float]:
    """What a script prints, a loss a step."""
    done = interpreters.python(interpreter, *command, env=env, timeout=900)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split()]


@functools.cache
def real(name: str) -> list[float]:
    """The losses of a script on Theano: at least 20 steps, in which the loss moves by more than 1 %."""
    expected = losses("theano", str(SCRIPTS / f"trajectory_{name}.py"), env=FLAGS)
    assert len(expected) >= 20
    assert max(expected) - min(expected) > 0.01 * abs(expected[0])
    return expected


@pytest.mark.parametrize(("interpreter", "mode"), [(interpreters.THIS_WEEKS, "FAST_COMPILE"), ("jax", "JAX")])
@pytest.mark.parametrize("name", NAMES)
def test_the_same_loss_at_each_step(name: str, interpreter: str, mode: str) -> None:
    """To 1e-4 at each, also where JAX compiles all of it: truncated gradients, loops, random streams."""
    interpreters.find(interpreter)
    env = {**FLAGS, "PYTENSOR_FLAGS": f"mode={mode}", "PYTHONPATH": str(COMPAT.parents[1])}
    script = str(SCRIPTS / f"trajectory_{name}.py")
    found = losses(interpreter, "-W", "ignore", "-m", "theanodiag.compat", script, env=env)
    assert found == pytest.approx(real(name), rel=1e-4)


def test_there_are_scripts() -> None:
    """A recurrent net of each kind, a Boltzmann machine and dropout are among them."""
    assert {"dropout", "gru", "lstm", "rbm"} <= set(NAMES)
