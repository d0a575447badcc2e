"""What scripts see of functions, inputs, flags, test values, optimisations and Ops of their own is what Theano 1.0.5 shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters

from .conftest import COMPAT

PROGRAMS = str(Path(__file__).resolve().parent / "legacy_programs.py")
FLAGS = {"THEANO_FLAGS": "cxx=,linker=vm", "PYTENSOR_FLAGS": "cxx="}


def printed(interpreter: str, folder: str, *arguments: str) -> list[str]:
    """What one program prints."""
    done = interpreters.python(interpreter, "-W", "ignore", PROGRAMS, folder, *arguments, env=FLAGS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", ["functions", "downcasts", "truth", "flags", "test_values", "rewrites", "printing", "operators"])
@pytest.mark.parametrize("interpreter", interpreters.first(("pytensor",), ("pytensor", "pytensor_new")))
def test_as_theano(interpreter: str, name: str) -> None:
    """One program prints the same lines on Theano and over PyTensor."""
    assert printed(interpreter, str(COMPAT), name) == printed("theano", "-", name)


@pytest.mark.parametrize(("interpreter", "mode"), [("pytensor", "NUMBA"), ("jax", "JAX")])
def test_ops_of_users_in_other_modes(interpreter: str, mode: str) -> None:
    """Each hook of such an Op is called where numba or JAX computes the rest."""
    expected = printed("theano", "-", "operators")
    assert printed(interpreter, str(COMPAT), "operators", mode) == expected
