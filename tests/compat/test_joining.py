"""join and concatenate along an axis that a call chooses: value, shape, gradient and the gradient's gradient are Theano's everywhere."""

from __future__ import annotations

import pytest

from tests import interpreters

from .conftest import START

PROGRAM = """
import numpy, theano, theano.tensor as T
ax = T.iscalar('axis'); a, b = T.matrix('a'), T.matrix('b')
j = T.join(ax, a, b)
f = theano.function([ax, a, b], [j, j.shape] + T.grad((j ** 2).sum(), [a, b]))
twice = T.grad((T.grad((j ** 3).sum(), a) ** 2).sum(), a)
g = theano.function([ax, a, b], twice, on_unused_input='ignore')
A = numpy.arange(4.).reshape(2, 2).astype(theano.config.floatX)
for k in (0, 1, -1): print([v.tolist() for v in f(k, A, A + 1)], g(k, A, A).tolist())
print(T.concatenate([a, b], axis=ax).eval({a: A, b: A, ax: 1}).tolist())
print(T.concatenate([a, b]).eval({a: A, b: A}).tolist())
print(T.join(0, a, b).eval({a: A, b: A}).tolist())
"""


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_the_axis_may_be_an_input(name: str) -> None:
    """PyTensor 3.3 takes constants only."""
    theano = interpreters.python("theano", "-c", PROGRAM)
    over = interpreters.python(name, "-c", START + PROGRAM)
    assert len(theano.stdout.splitlines()) == 6, theano.stderr
    assert over.stdout.splitlines() == theano.stdout.splitlines(), over.stderr
