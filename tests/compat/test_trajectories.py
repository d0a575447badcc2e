"""Legacy recurrent and stochastic scripts, run step by step on Theano 1.0.5 and over PyTensor with the same seed."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", NAMES)
def test_the_same_loss_at_each_step(name: str) -> None:
    """At least 20 steps, in which the loss moves by more than 1 %, with the same loss to 1e-4 at each."""
    script = str(SCRIPTS / f"trajectory_{name}.py")
    expected = losses("theano", script, env=FLAGS)
    assert len(expected) >= 20
    assert max(expected) - min(expected) > 0.01 * abs(expected[0])
    env = {**FLAGS, "PYTENSOR_FLAGS": "mode=FAST_COMPILE", "PYTHONPATH": str(COMPAT.parents[1])}
    found = losses("pytensor", "-m", "theanodiag.compat", script, env=env)
    assert found == pytest.approx(expected, rel=1e-4)


def test_there_are_scripts() -> None:
    """A recurrent net of each kind, a Boltzmann machine and dropout are among them."""
    assert {"dropout", "gru", "lstm", "rbm"} <= set(NAMES)
