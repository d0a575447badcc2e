"""theano.scan over PyTensor: what it returns, and which shared variables it updates, as Theano 1.0.5 does it."""

from __future__ import annotations

import pytest

from tests import interpreters

from .conftest import START

PYTENSORS = ("pytensor", "pytensor_new")
PROGRAM = """
import numpy, theano, theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

def say(name, *values):
    print(name, *[numpy.round(numpy.asarray(v, dtype="float64"), 6).tolist() for v in values])

x = T.dvector("x")
data = numpy.array([1.0, 2.0, 3.0, 4.0])
for kind in (MRG_RandomStreams, RandomStreams):
    rng = kind(7)
    noisy, updates = theano.scan(lambda e, s: s + e * rng.uniform(()), sequences=x, outputs_info=T.constant(numpy.asarray(0.0)))
    say(kind.__name__ + " updates", len(updates))
    f = theano.function([x], noisy[-1], updates=updates)
    say(kind.__name__ + " draws anew", f(data) != f(data))
    outside = rng.uniform((2,))
    twice, updates = theano.scan(lambda s: s + outside, outputs_info=T.zeros((2,)), n_steps=3)
    say(kind.__name__ + " outside", len(updates))
once, updates = theano.scan(lambda s: s * 2, outputs_info=T.constant(numpy.asarray([1.0, 2.0])), n_steps=1)
say("one step", theano.function([], once)(), once.broadcastable)
counter = theano.shared(0.0)
out, updates = theano.scan(lambda e: ([e, e * e], {counter: counter + e}), sequences=x, return_list=False)
say("updates of the step", theano.function([x], out[1], updates=updates)(data), counter.get_value())
grown, _ = theano.scan(lambda s: (s * 2, theano.scan_module.until(s > 5)), outputs_info=T.constant(numpy.asarray(1.0)), n_steps=10)
say("until", theano.function([], grown)())
taps, _ = theano.scan(
    lambda now, before, a, b: now - before + a + b, sequences=dict(input=x, taps=[0, -1]),
    outputs_info=dict(initial=T.constant(numpy.asarray([1.0, 1.0])), taps=[-2, -1]), go_backwards=True)
say("taps", theano.function([x], taps)(data))
say("map", theano.function([x], theano.map(lambda e: e + 1, x)[0])(data))
say("reduce", theano.function([x], theano.reduce(lambda e, s: e + 2 * s, x, T.constant(numpy.asarray(0.0)))[0])(data))
say("foldl", theano.function([x], theano.foldl(lambda e, s: e + 2 * s, x, T.constant(numpy.asarray(0.0)))[0])(data))
say("foldr", theano.function([x], theano.foldr(lambda e, s: e + 2 * s, x, T.constant(numpy.asarray(0.0)))[0])(data))
short, _ = theano.scan(lambda e, s: s * e, sequences=x, outputs_info=T.constant(numpy.asarray(1.0)), truncate_gradient=2)
say("truncated", theano.function([x], T.grad(short[-1], x))(data))
for outputs in ([taps], [grown], [noisy]):
    op = next(v.owner.op for v in theano.gof.graph.ancestors(outputs) if v.owner and type(v.owner.op).__name__ == "Scan")
    say("counts", op.n_seqs, op.n_mit_sot, op.n_sit_sot, op.n_nit_sot, op.n_shared_outs, op.n_mit_mot)
given = {}
say("traverse", theano.scan_module.scan_utils.traverse(x + 1, T.dscalar(), T.dscalar(), given) is given, len(given))
say("blas", theano.tensor.blas.batched_dot(T.ones((2, 3, 4)), T.ones((2, 4, 5))).ndim)
for wrong in (dict(n_steps=T.dscalar()), dict(n_steps=3, outputs_info=dict(initial=x, taps=[0])), dict()):
    try:
        theano.scan(lambda s: s, **wrong)
    except ValueError as error:
        print("refused", str(error)[:40].strip())
"""


@pytest.fixture(scope="session")
def theano_says() -> str:
    """What the program prints on Theano 1.0.5."""
    done = interpreters.python("theano", "-c", PROGRAM)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PYTENSORS)
def test_scan_is_that_of_theano(name: str, theano_says: str) -> None:
    """Values, number of updates, flags and refusals are the same, line by line."""
    done = interpreters.python(name, "-c", START + PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == theano_says.splitlines()


def test_a_loop_in_numba() -> None:
    """numba asks a Scan for its outer outputs by keyword, which the layer passes on."""
    program = """
x = T.dvector("x")
steps, _ = theano.scan(lambda e, s: s * e, sequences=x, outputs_info=T.ones(()))
print(theano.function([x], steps, mode="NUMBA")([2.0, 3.0]).tolist())
"""
    done = interpreters.python("pytensor_new", "-c", START + "import theano, theano.tensor as T" + program)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[2.0, 6.0]"


VARYING = """
import numpy as np, theano, theano.tensor as T
x, counts, w = T.dmatrix(), T.ivector(), theano.shared(np.arange(6.0).reshape(3, 2) / 7)
u = theano.shared(np.eye(2) / 3)
rows, _ = theano.scan(lambda n: (T.tanh(T.dot(x[:n], w)) ** 2).sum(), sequences=[counts])
states, _ = theano.scan(lambda e, h: T.tanh(T.dot(h, u) + e), sequences=[x[:, None, :2]], outputs_info=[T.ones((2, 2))])
data = np.random.RandomState(3).randn(4, 3)
for cost, weights in ((rows.sum(), w), (states[-1].sum(), u)):
    fast, plain = (theano.function([x, counts], [cost, T.grad(cost, weights)], mode=mode, on_unused_input="ignore") for mode in MODES)
    for steps in ([4, 1], [1, 2, 3, 4], [2, 2]):
        given = data, np.array(steps, "int32")
        print(all(np.allclose(a, b, rtol=1e-12) for a, b in zip(fast(*given), plain(*given))))
    print(any(type(n.op).__name__ in ("Dot", "Dot22", "Gemm") for n in fast.maker.fgraph.apply_nodes))
""".replace("MODES", '(theano.Mode(linker="py", optimizer="fast_run"), "FAST_COMPILE")')


@pytest.mark.parametrize("name", PYTENSORS)
def test_products_of_steps_of_several_lengths(name: str) -> None:
    """Their sum, the gradient of the weights, stays in the loop: stacked, a single row would be repeated. Equal steps are still stacked."""
    done = interpreters.python(name, "-c", START + VARYING)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["True"] * 3 + ["False"] + ["True"] * 4
