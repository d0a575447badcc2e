"""Graphs that Theano pickled are graphs over PyTensor; for its functions and loops there is an error that says so."""

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


OPS = """
import pickle, sys, numpy, theano, theano.tensor as T
x, v, i, s = T.matrix("x"), T.vector("v"), T.ivector("i"), T.scalar("s")
w = theano.shared(numpy.arange(12.0).reshape(3, 4), name="w")
p = T.nnet.softmax(T.dot(x, w))
graphs = [
    T.dot(x, w), T.argmax(p, axis=1), -T.mean(T.log(p)[T.arange(i.shape[0]), i]), T.grad(-T.log(p)[T.arange(2), i].sum(), w),
    w[i], T.inc_subtensor(w[i], 1.0), T.set_subtensor(w[i, :2], 7.0), w[:, i], T.set_subtensor(x[0], v), T.concatenate([x, x], axis=1),
    T.stack([v, v]), T.any(x > 1), T.all(x, axis=0), T.cumsum(x, axis=1), T.diag(v), x.nonzero()[1], v.nonzero()[0],
    T.extra_ops.to_one_hot(i, 3), T.tensordot(x, w, [[1], [0]]), T.unbroadcast(x.dimshuffle("x", 0, 1), 0),
    theano.OpFromGraph([s], [s * 2])(s), w[:, None, :][i], T.repeat(v, 2),
]
with open(sys.argv[1], "wb") as file:
    pickle.dump([(x, v, i, s), graphs], file, protocol=2)
"""
COMPUTE = """
import pickle, sys, numpy, theano
with open({path!r}, "rb") as file:
    inputs, graphs = pickle.load(file, encoding="latin1")
f = theano.function(inputs, graphs, mode={mode!r}, on_unused_input="ignore")
given = numpy.array([[0.0, 1, 2], [0, 4, 5]]) / 4, numpy.array([0.0, 3, 1]), numpy.array([1, 2], "int32"), 2.0
for value in f(*given):
    print(numpy.round(numpy.asarray(value, dtype="float64"), 9).tolist())
"""


@pytest.mark.parametrize("writer", ["theano", "theano27"])
@pytest.mark.parametrize(("name", "mode"), [("pytensor", "FAST_COMPILE"), ("pytensor_new", "FAST_RUN"), ("jax", "JAX")])
def test_ops_with_other_inputs(writer: str, name: str, mode: str, tmp_path: Path) -> None:
    """Products, indexing with vectors, joins, booleans and others, written with Python 2 and 3."""
    path = str(tmp_path / "graphs.pkl")
    done = interpreters.python(writer, "-c", OPS, path, env={"THEANO_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    expected = (
        interpreters.python(
            "theano", "-c", COMPUTE.format(path=path, mode="FAST_COMPILE"), env={"THEANO_FLAGS": "cxx=,reoptimize_unpickled_function=False"}
        )
        if writer == "theano"
        else None
    )
    over = interpreters.python(name, "-c", START + COMPUTE.format(path=path, mode=mode), env={"PYTENSOR_FLAGS": "cxx="})
    assert over.returncode == 0, over.stderr
    assert len(over.stdout.splitlines()) == 23
    if expected is not None:
        assert expected.returncode == 0, expected.stderr
        assert over.stdout == expected.stdout


FUNCTION = """
import pickle, sys, theano, theano.tensor as T
x = T.vector()
steps, _ = theano.scan(lambda a, b: a + b, sequences=x, outputs_info=T.zeros(()))
made = theano.function([x], x * 2) if sys.argv[2] == "function" else steps
with open(sys.argv[1], "wb") as file:
    pickle.dump(made, file, protocol=2)
"""


@pytest.mark.parametrize("kind", ["function", "loop"])
def test_what_cannot_be_unpickled_is_said(kind: str, tmp_path: Path) -> None:
    """Pickle's own words for it are that it can't get some attribute."""
    path = str(tmp_path / "made.pkl")
    done = interpreters.python("theano", "-c", FUNCTION, path, kind, env={"THEANO_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    over = interpreters.python("pytensor_new", "-c", START + f"import pickle, theano\npickle.load(open({path!r}, 'rb'))\n")
    assert (
        "the pickle holds a function that Theano compiled, or a loop of theano.scan; instead: in the environment with Theano" in over.stderr
    )
