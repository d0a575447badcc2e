"""Values that are nothing but rounding are equal, and what is small for another reason is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag import compare
from theanodiag.comparison.first_node import Scale, ValuedGraph, ValuedNode, ValuedVariable, bounds

from ..interpreters import find

SCRIPT = """
import numpy as np
import theano
import theano.tensor as T
theano.config.floatX = 'float64'
rng = np.random.RandomState(3)
W = theano.shared(rng.randn(6, 4), name='W')
b = theano.shared(np.zeros(4), name='b')
V = theano.shared(rng.randn(4, 3), name='V')
tiny = theano.shared(np.full(4, 1e-17), name='tiny')
x = T.matrix('x')
z = T.dot(x, W) + b
h = T.tanh((z - z.mean(axis=0)) / T.sqrt(z.var(axis=0) + 1e-5))
loss = T.sqr(T.dot(h, V) - 1).mean()
params = [W, b, V]
updates = [(q, q - 0.1 * g) for q, g in zip(params, T.grad(loss, params))] + [(tiny, tiny * 2)]
f = theano.function([x], loss, updates=updates)
X = rng.randn(5, 6)
for _ in range(3):
    f(X)
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No compiler works for these small scripts."""
    monkeypatch.setenv("THEANO_FLAGS", "mode=FAST_COMPILE,cxx=")
    monkeypatch.setenv("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=,linker=py")


def test_a_bias_before_a_normalisation_is_equal_and_a_tiny_value_that_is_another_is_not(tmp_path: Path) -> None:
    """Over Theano and PyTensor; the line of the difference of 1e-17 is named."""
    old, new = tmp_path / "old.py", tmp_path / "new.py"
    old.write_text(SCRIPT, encoding="utf-8")
    new.write_text(SCRIPT.replace("tiny * 2", "tiny * 3"), encoding="utf-8")
    python, against = find("theano"), find("pytensor")
    same = compare(old, python=python, against=against, stdout=2)
    assert same.equal, same.first
    assert same.functions[0].rounding == ("b after the update",)
    apart = compare(old, new, python=python, against=against, stdout=2)
    assert not apart.equal
    assert apart.first is not None
    assert apart.first[1].value == "tiny after the update"
    assert apart.node is not None
    assert apart.node.new is not None
    assert apart.node.new.site is not None
    assert "tiny * 3" in str(apart.node.new.site.code)


def made(op: str, reads: int, sizes: list[float], elements: list[float]) -> float:
    """How far rounding may take the result of one node."""
    variables = tuple(ValuedVariable(None, False, None, (1,), "float64", "a file", None) for _ in range(reads + 1))
    node = ValuedNode(op, op, op, tuple(range(reads)), (reads,), None, None)
    graph = ValuedGraph((node,), variables, tuple(range(reads)), (reads,))
    return bounds(graph, {n: Scale(size, size, count) for n, (size, count) in enumerate(zip(sizes, elements))})[reads]


def test_bounds_follow_what_is_summed() -> None:
    """A difference of large numbers, a reduction, a product of matrices; a product of small numbers stays small."""
    assert 1e-15 < made("Sub", 2, [1.0, 1.0, 1e-17], [4, 4, 4]) < 1e-13
    assert made("Add", 1, [1.0, 1e-17], [1000, 1]) > 1e-13
    assert 1e-14 < made("Dot", 2, [1.0, 1.0, 1e-17], [100, 100, 100]) < 1e-12
    assert made("Mul", 2, [1e-8, 1e-8, 1e-16], [4, 4, 4]) < 1e-30
    assert made("Softplus", 1, [1e-8, 1e-8], [4, 4]) < 1e-22
