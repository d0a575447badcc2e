"""What scripts see of functions, inputs, flags, test values, optimisations and Ops of their own is what Theano 1.0.5 shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters

from .conftest import COMPAT, START, Run

PROGRAMS = str(Path(__file__).resolve().parent / "legacy_programs.py")
FLAGS = {"THEANO_FLAGS": "cxx=,linker=vm", "PYTENSOR_FLAGS": "cxx="}


def printed(interpreter: str, folder: str, *arguments: str) -> list[str]:
    """What one program prints."""
    done = interpreters.python(interpreter, "-W", "ignore", PROGRAMS, folder, *arguments, env=FLAGS)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "name", ["functions", "downcasts", "truth", "flags", "test_values", "rewrites", "printing", "operators", "misfits", "told", "types"]
)
@pytest.mark.parametrize("interpreter", interpreters.first(("pytensor",), ("pytensor", "pytensor_new")))
def test_as_theano(interpreter: str, name: str) -> None:
    """One program prints the same lines on Theano and over PyTensor."""
    assert printed(interpreter, str(COMPAT), name) == printed("theano", "-", name)


@pytest.mark.parametrize(("interpreter", "mode"), [("pytensor", "NUMBA"), ("jax", "JAX")])
def test_ops_of_users_in_other_modes(interpreter: str, mode: str) -> None:
    """Each hook of such an Op is called where numba or JAX computes the rest."""
    expected = printed("theano", "-", "operators")
    assert printed(interpreter, str(COMPAT), "operators", mode) == expected


def test_products_of_three_are_not_computed_element_by_element(legacy: Run) -> None:
    """In FAST_COMPILE a product or a sum of many matrices is numpy's, in the dtype of the output, in place too."""
    done = legacy("""
import numpy, theano, theano.tensor as T
from theano.tensor.elemwise import Elemwise
x, y, z, k = T.fmatrix(), T.frow(), T.fcol(), T.bmatrix()
out = [T.mul(x, y, z, k), T.add(x, y, z, k), T.mul(k, k, k)]
f = theano.function([x, y, z, k], out, mode="FAST_COMPILE")
names = [type(n.op.scalar_op) for n in f.maker.fgraph.toposort() if isinstance(n.op, Elemwise) and len(n.inputs) > 2]
def slow(self, *values):
    raise AssertionError("element by element")
for name in names:
    name.impl = slow
a, b = numpy.float32([[1, 2], [3, 4]]), numpy.int8([[1, 2], [100, 4]])
for value in f(a, a[:1], a[:, :1], b):
    print(value.dtype, value.tolist())
""")
    assert done.splitlines() == [
        "float32 [[1.0, 8.0], [900.0, 96.0]]",
        "float32 [[4.0, 7.0], [107.0, 13.0]]",
        "int8 [[1, 8], [64, 64]]",
    ]


COMPARED_LENGTHS = """
import numpy, theano, theano.tensor as T
from pytensor.tensor.rewriting.shape import ShapeFeature
plain, compared = ShapeFeature.same_shape, []
ShapeFeature.same_shape = lambda *args: compared.append(args) or plain(*args)
x, y = T.matrix(), T.matrix()
W, b = theano.shared(numpy.eye(2)), theano.shared(numpy.ones(2))
cost = ((T.tanh(T.dot(x, W) + b) * y - x * y + b) ** 2).sum()
theano.function([x, y], cost, updates=[(p, p - 0.1 * g) for p, g in zip((W, b), T.grad(cost, [W, b]))])
print(len(compared))
"""


def test_lengths_are_compared_where_a_rewrite_applies() -> None:
    """PyTensor rewrites a graph of lengths each time: a net without zeros to remove compiles without (35 when each node asked)."""
    done = interpreters.python("pytensor", "-c", START + COMPARED_LENGTHS)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.splitlines()[-1]) == 0
