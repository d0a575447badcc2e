"""Graphs that Theano pickled are graphs over PyTensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import interpreters

from .conftest import START

WRITE = """
import pickle, numpy, theano, theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
x = T.matrix("x")
p = T.exp(x[:, 1:]) / T.exp(x[:, 1:]).sum(axis=1, keepdims=True)
drawn = MRG_RandomStreams(3).multinomial(pvals=p, dtype="float64")
with open({path!r}, "wb") as file:
    pickle.dump([x, p, drawn], file, protocol=2)
"""
READ = """
import pickle, numpy, theano
with open({path!r}, "rb") as file:
    x, p, drawn = pickle.load(file)
f = theano.function([x], [p, drawn], mode="FAST_COMPILE")
value = numpy.arange(6.0).reshape(2, 3) / 7
print([numpy.round(r, 12).tolist() for r in f(value.astype(x.dtype)) + f(value.astype(x.dtype))])
"""


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_a_pickled_graph_computes_what_it_did(name: str, tmp_path: Path) -> None:
    """Slices, reductions, new axes, random states and their updates come out of the pickle, and the numbers are the same."""
    path = str(tmp_path / "graph.pkl")
    done = interpreters.python("theano", "-c", WRITE.format(path=path) + READ.format(path=path))
    assert done.returncode == 0, done.stderr
    over = interpreters.python(name, "-c", START + READ.format(path=path))
    assert over.returncode == 0, over.stderr
    assert over.stdout == done.stdout
