"""Where exp, log, softmax and powers overflow or underflow, results are finite exactly where Theano's are."""

from __future__ import annotations

import functools
import json

import pytest

from tests import interpreters

from .conftest import START

VECTORS = {
    "exp(x) exp(-x)": "T.exp(x) * T.exp(-x)",
    "exp(x) exp(y)": "T.exp(x) * T.exp(y)",
    "exp(x - y) exp(2y)": "T.exp(x - y) * T.exp(2 * y)",
    "exp(2x) / exp(x)": "T.exp(2 * x) / T.exp(x)",
    "exp(x) / (1 + exp(x))": "T.exp(x) / (1 + T.exp(x))",
    "log(exp(x))": "T.log(T.exp(x))",
    "exp(log(x))": "T.exp(2 * T.log(x))",
    "log(exp(x) / exp(y))": "T.log(T.exp(x) / T.exp(y))",
    "log(exp(x) + exp(y))": "T.log(T.exp(x) + T.exp(y))",
    "log(exp(x) - exp(y))": "T.log(T.exp(x) - T.exp(y))",
    "log(1 + exp(x))": "T.log(1 + T.exp(x))",
    "log(1 - exp(x))": "T.log(1 - T.exp(x))",
    "log1p(exp(-x))": "T.log1p(T.exp(-x))",
    "log1p(expm1(x))": "T.log1p(T.expm1(x))",
    "log(1 / (1 + exp(-x)))": "T.log(1 / (1 + T.exp(-x)))",
    "log(sigmoid(x))": "T.log(T.nnet.sigmoid(x))",
    "log(1 - sigmoid(x))": "T.log(1 - T.nnet.sigmoid(x))",
    "log1p(-sigmoid(x))": "T.log1p(-T.nnet.sigmoid(x))",
    "odds": "T.nnet.sigmoid(x) / (1 - T.nnet.sigmoid(x))",
    "sigmoid(log(x / (1 - x)))": "T.nnet.sigmoid(T.log(x / (1 - x)))",
    "binary cross-entropy": "T.nnet.binary_crossentropy(T.nnet.sigmoid(x), 0.3)",
    "binary cross-entropy of scores": "T.nnet.sigmoid_binary_crossentropy(x, 0 * y + 0.3)",
    "sqrt(x ** 2)": "T.sqrt(x ** 2)",
    "sqrt(x) ** 2": "T.sqrt(x) ** 2",
    "log(x ** 2)": "T.log(x ** 2)",
    "log(sqrt(x))": "T.log(T.sqrt(x))",
    "log(1 / x)": "T.log(1 / x)",
    "x ** 0.5 * x ** 1.5": "x ** 0.5 * abs(x) ** 1.5",
    "x / x": "x / x",
    "KL of normals": "0.5 * (T.exp(x) / T.exp(y) + y - x - 1)",
    "log of a density": "T.log(T.exp(-0.5 * (x / T.exp(y)) ** 2) / T.exp(y))",
    "exp(-exp(x))": "T.exp(-T.exp(x))",
}
MATRICES = {
    "softmax by hand": "T.exp(m) / T.exp(m).sum(axis=1, keepdims=True)",
    "its logarithm": "T.log(T.exp(m) / T.exp(m).sum(axis=1, keepdims=True))",
    "over columns": "T.exp(m) / T.exp(m).sum(axis=0, keepdims=True)",
    "its cost": "-T.log((T.exp(m) / T.exp(m).sum(axis=1).dimshuffle(0, 'x')).reshape((4, 3))[T.arange(4), [0, 1, 2, 0]])",
    "less the maximum of all": "T.log(T.exp(m - m.max()) / T.exp(m - m.max()).sum(axis=1, keepdims=True))",
    "weighted": "(m * T.exp(m) / T.exp(m).sum(axis=1, keepdims=True)).sum(axis=1)",
    "log(softmax)": "T.log(T.nnet.softmax(m))",
    "logsumexp": "T.log(T.exp(m).sum(axis=1))",
    "m - logsumexp": "m - T.log(T.exp(m).sum(axis=1, keepdims=True))",
    "log(prod(exp))": "T.log(T.prod(T.exp(m), axis=1))",
    "norms": "T.sqrt((m ** 2).sum(axis=1))",
}
PROGRAM = f"""
import json, numpy as np, theano, theano.tensor as T
x, y, m = T.dvector("x"), T.dvector("y"), T.dmatrix("m")
given = np.array([-1000., -750, -710, -100, -5, 0, 5, 100, 710, 750, 1000])
rows = np.array([[0., 1, 2], [1000, 0, -1000], [-1000, -1000, -1000], [100, 100, 1]])
def told(values):
    return [repr(float(v)) if not np.isfinite(v) else "%.3g" % (v if abs(v) > 1e-9 else 0) for v in np.ravel(values).tolist()]
found = {{}}
with np.errstate(all="ignore"):
    for name, text in {VECTORS!r}.items():
        z = eval(text)
        build = lambda out: theano.function([x, y], out, mode=mode, on_unused_input="ignore")
        slopes = T.grad(z.sum(), [x, y], disconnected_inputs="ignore")
        found[name] = [told(v) for v in build([z] + slopes)(given, given[::-1].copy())] + [told(build(z)(given, given))]
    for name, text in {MATRICES!r}.items():
        z = eval(text)
        found[name] = [told(v) for v in theano.function([m], [z, T.grad(z.sum(), m)], mode=mode)(rows)]
print(json.dumps(found))
"""
MODES = {
    "theano": "mode = 'FAST_RUN'\n",
    "pytensor": "mode = 'FAST_RUN'\n",
    "pytensor_new": "mode = 'FAST_RUN'\n",
    "jax": "mode = 'JAX'\n",
    "jax_old": "mode = 'JAX'\n",
}


@functools.cache
def results(interpreter: str) -> dict[str, list[list[str]]]:
    """What each expression and its gradients are in one interpreter."""
    start = "" if interpreter == "theano" else START
    env = {"THEANO_FLAGS": "cxx=", "PYTENSOR_FLAGS": "cxx="}
    done = interpreters.python(interpreter, "-W", "ignore", "-c", start + MODES[interpreter] + PROGRAM, env=env)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[list[str]]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new", "jax", "jax_old"])
def test_finite_where_theano_is(name: str) -> None:
    """Values and gradients, by C's Ops without fusion, and by JAX."""
    expected, found = results("theano"), results(name)
    assert {case: found[case] for case in expected if found[case] != expected[case]} == {}


def test_pymc_keeps_its_rewrites() -> None:
    """A script of PyMC3 runs on PyMC, whose densities rely on what PyTensor has gained."""
    program = (
        "import theano, theano.tensor as T, pymc3\nx = T.dscalar()\nprint(theano.function([x], T.log(T.exp(x)), mode='FAST_RUN')(1e3))\n"
    )
    done = interpreters.python("pymc", "-W", "ignore", "-c", START + program, env={"PYTENSOR_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1000.0"]
