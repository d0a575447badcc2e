"""Random numbers over PyTensor against those of Theano 1.0.5 with its C code, bit for bit."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import numpy
import pytest

from tests import compiler, interpreters

from .conftest import COMPAT, START

PROBE = Path(__file__).resolve().parent / "streams.py"
ROWS = [[0.2, 0.5, 0.3], [0.7, 0.1, 0.2], [0.05, 0.05, 0.9]]
Case = list[Any]
EXACT: list[Case] = [
    ["mrg", 12345, "uniform", {"size": [7, 11]}, "float32", 2],
    ["mrg", [1, 2, 3, 4, 5, 6], "uniform", {"size": [100], "low": -0.0813, "high": 0.19}, "float32", 2],
    ["mrg", 77, "uniform", {"size": [100], "low": -0.0813, "high": 0.19}, "float64", 2],
    ["mrg", 2147462578, "uniform", {"size": [300], "nstreams": 1}, "float64", 2],
    ["mrg", -5, "uniform", {"size": [7, 11]}, "float32", 2],
    ["mrg", 8, "uniform", {"size": []}, "float32", 2],
    ["mrg", 9, "uniform", {"size": {"shape": [5, 9]}, "nstreams": 6}, "float32", 2],
    ["mrg", 3, "binomial", {"size": [40, 5], "p": 0.3}, "float32", 2],
    ["mrg", 3, "binomial", {"size": [40, 5], "p": 0.3, "dtype": "float32"}, "float64", 2],
    ["mrg", 11, "multinomial", {"pvals": ROWS}, "float32", 3],
    ["mrg", 11, "multinomial", {"pvals": ROWS, "n": 7}, "float64", 2],
    ["mrg", 11, "choice", {"p": ROWS, "replace": False, "size": 2}, "float32", 3],
    ["numpy", 234, "uniform", {"size": [4, 3]}, "float32", 2],
    ["numpy", 234, "uniform", {"size": {"shape": [5, 2]}, "low": -2, "high": 3, "ndim": 2}, "float64", 2],
    ["numpy", 5, "normal", {"size": [5, 3], "avg": 2.0, "std": 0.5}, "float32", 2],
    ["numpy", 5, "binomial", {"size": [30], "n": 3, "p": 0.3}, "float32", 2],
    ["numpy", 5, "random_integers", {"size": [30], "low": -3, "high": 9}, "float64", 2],
    ["numpy", 5, "permutation", {"size": [3], "n": 7}, "float64", 2],
    ["numpy", 5, "multinomial", {"size": [3], "n": 4, "pvals": ROWS}, "float64", 2],
    ["numpy", 5, "multinomial", {"size": [3], "n": 4, "pvals": ROWS}, "float32", 2],
    ["numpy", 5, "poisson", {"size": [9], "lam": 3.5}, "float64", 2],
    ["numpy", 5, "choice", {"size": [9], "a": 6, "p": [0.1, 0.1, 0.2, 0.2, 0.2, 0.2]}, "float64", 2],
]
"""Draws of which every bit is the same."""
CLOSE: list[Case] = [
    ["mrg", 12345, "normal", {"size": [13, 7]}, "float32", 3],
    ["mrg", 77, "normal", {"size": [12, 7], "avg": 2.5, "std": 0.1}, "float32", 3],
    ["mrg", 77, "normal", {"size": [501]}, "float64", 3],
    ["mrg", [1, 2, 3, 4, 5, 6], "truncated_normal", {"size": [40]}, "float32", 3],
]
"""Draws whose uniforms are the same bit for bit, and that differ by what two libraries of sines and logarithms differ."""
MODES = [("pytensor", "FAST_COMPILE"), ("pytensor_new", "NUMBA"), ("jax", "JAX")]


def optimised() -> dict[str, str]:
    """Variables with which Theano compiles as its users' does: by the machine's own g++, which contracts products and sums."""
    path = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder != compiler.HERE]
    return {"PATH": os.pathsep.join(path), "THEANO_FLAGS": f"base_compiledir={Path.home() / '.theano-optimised'}"}


def draws(interpreter: str, folder: str, mode: str, env: dict[str, str] | None = None) -> list[Any]:
    """What streams.py gives for all cases."""
    done = interpreters.python(interpreter, str(PROBE), folder, mode, json.dumps(EXACT + CLOSE), env=env)
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="session")
def theano_draws() -> list[Any]:
    """Those of Theano 1.0.5."""
    return draws("theano", "-", "", optimised())


@pytest.fixture(scope="session", params=MODES, ids=lambda pair: pair[1])
def our_draws(request: pytest.FixtureRequest) -> list[Any]:
    """Those over PyTensor, in one mode."""
    interpreters.find(request.param[0])
    return draws(request.param[0], str(COMPAT), request.param[1])


def array(packed: list[Any]) -> Any:
    """An array from what streams.py printed."""
    return numpy.frombuffer(base64.b64decode(packed[2]), dtype=packed[0]).reshape(packed[1])


def test_every_bit(theano_draws: list[Any], our_draws: list[Any]) -> None:
    """Integers, uniforms, decisions and the states left are the same, call by call."""
    for case, theirs, ours in zip(EXACT, theano_draws, our_draws):
        assert ours == theirs, case


def test_gaussians(theano_draws: list[Any], our_draws: list[Any]) -> None:
    """Gaussians differ by 8 units in the last place at most, and their states by nothing."""
    for case, theirs, ours in zip(CLOSE, theano_draws[len(EXACT) :], our_draws[len(EXACT) :]):
        assert ours[1] == theirs[1], case
        for packed, expected in zip(ours[0], theirs[0]):
            assert packed[:2] == expected[:2]
            distance = numpy.abs(array(packed).astype("float64") - array(expected)) / numpy.spacing(numpy.abs(array(expected)))
            assert distance.max() <= 8, case


@pytest.mark.parametrize(("interpreter", "mode"), [("jax", "JAX"), ("pytensor_new", "NUMBA")])
def test_compiling_leaves_the_global_streams_alone(interpreter: str, mode: str) -> None:
    """What a script draws from numpy after `function` is what it drew in Theano: importing jax alone draws from numpy's stream."""
    program = f"""
import numpy, random, theano
numpy.random.seed(3); random.seed(3)
x = theano.tensor.matrix()
f = theano.function([x], theano.scan(lambda row: row * 2, sequences=x)[0].sum(), mode={mode!r})
f(numpy.ones((2, 2), theano.config.floatX))
print(numpy.random.rand() == numpy.random.RandomState(3).rand(), random.random() == random.Random(3).random())
"""
    done = interpreters.python(interpreter, "-c", START + program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True", "True"]
