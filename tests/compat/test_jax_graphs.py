"""What legacy scripts do and JAX alone refuses: shapes computed from shapes, minibatches by index, writing to results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import interpreters
from tests.cli.run import theanodiag

from .conftest import START

PROGRAM = """
import json, numpy as np, theano, theano.tensor as T
def f(inputs, outputs, **kwargs):
    return theano.function(inputs, outputs, mode="JAX", **kwargs)
out = {}
data = np.arange(70.0).reshape(10, 7)
X, i, x = theano.shared(data), T.lscalar(), T.matrix()
batch = f([i], x * 2, givens={x: X[i * 4 : (i + 1) * 4]})
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams
dropped = [x * streams(5).binomial(size=x.shape, n=1, p=0.5) for streams in (MRG_RandomStreams, RandomStreams)]
dropout = f([i], [y.sum() for y in dropped], givens={x: X[i * 4 : (i + 1) * 4]})
dropout(0)
out["minibatches"] = [[k, batch(k).tolist(), (data[k * 4 : (k + 1) * 4] * 2).tolist()] for k in (0, 1, 0, 2, 3, -1, -2)]
count = []
import jax
jax.monitoring.register_event_duration_secs_listener(lambda name, *a, **k: count.append(name) if "backend_compile" in name else None)
for k in (0, 1, 0, 1):
    batch(k)
    dropout(k)
out["compilations"] = len(count)
step = f([i], [], updates=[(X, T.inc_subtensor(X[i * 5 : (i + 1) * 5], 1.0))])
step(1)
value = X.get_value(borrow=True)
value[0, 0] = -1.0
out["updated"] = value[:, 1].tolist()
p, y = T.matrix(), T.lvector()
cost = f([p, y], -T.mean(T.log(p)[T.arange(y.shape[0]), y]))
probabilities = np.asarray([[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]])
out["cost"] = [float(cost(probabilities, [1, 0, 0])), float(-np.log([0.8, 0.5, 0.9]).mean())]
W = theano.shared(np.ones((2, 3)))
halves = T.concatenate([x.dot(W), x.dot(-W)], axis=-1)
out["split"] = f([x], theano.grad((halves**2).sum(), W))(np.ones((4, 2))).tolist()
h = theano.shared(np.zeros(3))
loops = [theano.scan(lambda a, b: a + b, sequences=x.dot(w), outputs_info=h)[0] for w in (W, -W)]
out["split_loops"] = theano.function([x], theano.grad((T.concatenate(loops, axis=-1) ** 2).sum(), W), mode="JAX")(np.ones((2, 2))).tolist()
out["flat"] = list(f([x], T.alloc(1.0, x.shape[0] * 2) + x.flatten(1).reshape((x.shape[0] * 2, -1)).sum(axis=1))(np.ones((3, 4))).shape)
single = T.fmatrix()
kept = theano.shared(np.ones(3, "float32"))
grown = f([i], [], updates=[(kept, T.alloc(np.float32(2), i))])
grown(3)
out["kept"] = str(kept.get_value().dtype)
out["dtype"] = str(f([single], single.var(axis=0))(np.ones((2, 2), "float32")).dtype)
result = f([x], x + 1)(np.ones((2, 2)))
result[0, 0] = 5.0
out["written"] = result.tolist()
print(json.dumps(out))
"""


def test_legacy_graphs_compile() -> None:
    """Each gives what numpy gives; an epoch of full minibatches compiles nothing again, also with dropout of their shape."""
    done = interpreters.python("jax", "-c", START + PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for index, got, wanted in found["minibatches"]:
        assert got == wanted, index
    assert found["compilations"] == 0
    assert found["updated"] == [7.0 * row + 1 + (row >= 5) for row in range(10)]
    assert abs(found["cost"][0] - found["cost"][1]) < 1e-12
    assert found["flat"] == [6]
    assert found["split"] == [[32.0] * 3] * 2
    assert found["split_loops"] == [[40.0] * 3] * 2
    assert found["dtype"] == found["kept"] == "float32"
    assert found["written"] == [[5.0, 2.0], [2.0, 2.0]]


DEFAULTS = """
import numpy as np, theano, theano.tensor as T
X, i, n, rate, total, x = theano.shared(np.arange(40.0)), T.lscalar(), T.lscalar(), T.scalar(), T.scalar(), T.vector()
inputs = [i, theano.Param(n, default=2), theano.Param(rate, default=0.5), theano.In(total, value=0.0, update=total + rate)]
step = theano.function(inputs, [x.sum() * rate, total + T.zeros((x.shape[0],)).sum()], givens={x: X[i * n : (i + 1) * n]})
for k in range(20):
    print([float(v) for v in step(k)])
"""


def test_a_function_with_defaults_and_state_goes_on_in_c(tmp_path: Path) -> None:
    """With `--mode auto`, when there are more values of its integers than JAX compiles for: as if it had run in C from the start."""
    script = tmp_path / "defaults.py"
    script.write_text(DEFAULTS)
    done = theanodiag("run", "--python", interpreters.find("jax"), "--explain", str(script), env={"PYTHONWARNINGS": "ignore"})
    assert "runs in C: JAX cannot compute it" in done.stderr, done.stderr
    assert done.stdout.splitlines() == [str([0.5 * (4 * k + 1), 0.5 * k]) for k in range(20)]


DYNAMIC = """
import json, warnings, numpy as np, scipy.sparse, theano, theano.tensor as T, theano.sparse
from theano.tensor.opt import Assert
from theano.tensor.shared_randomstreams import RandomStreams
warnings.simplefilter("ignore")
x, n = T.vector(), T.lscalar()
until, streams = theano.scan_module.until, RandomStreams(7)
class Odd(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0][::2].copy()
added, _ = theano.scan(lambda total, term: total + term, outputs_info=T.zeros_like(x), non_sequences=x, n_steps=n)
doubled, _ = theano.scan(lambda a, x: (a * 2, until(a > x.sum())), outputs_info=T.constant(1.0), non_sequences=x, n_steps=100)
csr = theano.sparse.csr_from_dense(x.dimshuffle("x", 0))
cases = dict(
    arange=T.arange(n), nonzero=x.nonzero()[0], steps=added[-1], gradient_of_steps=T.grad(added[-1].sum(), x), end_by_a_condition=doubled,
    no_infer_shape=Odd()(x) * 2, mask=x[x > 1], alloc=T.zeros((n, 2)), draws=streams.uniform((n,)),
    sparse=theano.sparse.dense_from_sparse(csr + csr), reshaped=T.tile(x, 4).reshape((n, -1)),
)
made = {mode: {name: theano.function([x, n], out, mode=mode, on_unused_input="ignore") for name, out in cases.items()}
        for mode in ("FAST_COMPILE", "JAX")}
def values(f):
    streams.seed(7)
    return [[f(value, k).tolist() for value in ([1.0, 0.0, 3.0], [2.0, 5.0, 0.0, 1.0])] for k in (2, 4, 2)]
out = {name: [values(functions[name]) for functions in made.values()] for name in cases}
checked = theano.function([x], Assert("too small")(x, T.gt(x.sum(), 3)) * 2, mode="JAX")
out["held"] = checked([1.0, 4.0]).tolist()
try:
    checked([1.0, 1.0])
except AssertionError as error:
    out["said"] = str(error).splitlines()[0]
from pytensor.link.jax.dispatch.shape import JAXShapeTuple
out["lengths"] = theano.function([n], JAXShapeTuple()(n, n + 1), mode="FAST_COMPILE")(2).tolist()
print(json.dumps(out))
"""


def test_what_jax_cannot_compile_runs_op_by_op() -> None:
    """Lengths that follow from values, loops with an unknown end, Ops without a shape, sparse matrices, assertions: as in Python."""
    done = interpreters.python("jax", "-c", START + DYNAMIC)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("held") == [2.0, 8.0]
    assert found.pop("said") == "too small"
    assert found.pop("lengths") == [2, 3]  # in graphs that were rewritten for JAX and then run in C or Python
    assert len(found) == 11
    for name, (expected, got) in found.items():
        assert got == expected, name


WHOLE = """
import json, warnings, numpy as np, theano, theano.tensor as T
from theano.tensor.signal.pool import pool_2d
x, image, n, k, b = T.matrix(), T.tensor4(), T.lscalar(), T.iscalar(), T.vector()
first, second, W = (theano.shared(np.linspace(-1, 1, int(np.prod(s))).reshape(s)) for s in ((2, 1, 3, 3), (3, 2, 3, 3), (12, 5)))
h = pool_2d(T.nnet.conv2d(pool_2d(T.nnet.conv2d(image, first), (2, 2), ignore_border=True), second), (2, 2), ignore_border=True)
cost = T.sqr(h.flatten(2).dot(W)).sum()
X, pictures = np.arange(24.0).reshape(4, 6), np.linspace(0, 1, 2 * 14 * 14).reshape(2, 1, 14, 14)
steps, _ = theano.scan(lambda a, x: a * 1.1 + x.sum(), outputs_info=T.zeros((3,)), non_sequences=x, n_steps=n)
cases = dict(
    gradient=([image], T.grad(cost, first), pictures), product=([x], T.grad(T.prod(x - 5), x), X),
    halves=([x], x.reshape((x.shape[0] * 2, x.shape[1] // 2)), X),
    thirds=([x], T.zeros((T.cast(T.ceil(x.shape[0] / 3.0), "int64"),)) + x.sum(), X), rows=([x, n], x.reshape((n, -1)), X, 3),
    alloc=([x, n], T.alloc(1.0, n, x.shape[0]) + 0, X, 3), arange=([n, k], T.arange(n, n + k * 2, 2), 5, 3), eye=([n], T.eye(n), 4),
    tail=([x, n], x[n:], X, 2), between=([x, n, k], x[:, n : k + 1], X, 1, 3), repeated=([x, n], T.repeat(x, n, axis=1), X, 2),
    steps=([x, n], steps[-1], X, 5), parts=([x], T.split(x, np.array([2, 4]), 2, axis=1), X), set=([x, n], T.set_subtensor(x[:n], 0), X, 2),
)
out = {}
for name, (inputs, output, *values) in cases.items():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = [theano.function(inputs, output, mode=mode)(*values) for mode in (theano.Mode(linker="py"), "JAX")]
    lists = [[np.asarray(a).tolist() for a in (f if isinstance(f, list) else [f])] for f in found]
    out[name] = [lists, [str(w.message) for w in said if "JAX" in str(w.message)]]
print(json.dumps(out))
"""


@pytest.mark.parametrize("name", ["jax", "jax_old"])
def test_lengths_from_shapes_and_small_integers_compile(name: str) -> None:
    """As a whole, with every PyTensor: nothing runs Op by Op."""
    done = interpreters.python(name, "-c", START + WHOLE, env={"PYTENSOR_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(found) == 14
    for case, ((wanted, got), said) in found.items():
        assert said == [], case
        for expected, result in zip(wanted, got):
            np.testing.assert_allclose(result, expected, rtol=1e-9, err_msg=case)


OUTSIDE = """
import json, numpy as np, theano, theano.tensor as T
v, m, i, k = T.vector(), T.matrix(), T.lvector(), T.lscalar()
last = theano.scan(lambda j, a: a + v[j] ** 2, sequences=i, outputs_info=T.zeros(()))[0][-1]
nested, _ = theano.scan(lambda r: theano.scan(lambda j, a: a + r[j], sequences=i, outputs_info=T.zeros(()), n_steps=2)[0][-1], sequences=m)
positive, _ = theano.scan(lambda e: T.opt.Assert("not positive")(e, e > 0), sequences=v)
doubled = theano.OpFromGraph([v, k], [v[k] * 2])
in_loop, _ = theano.scan(lambda j: doubled(v, j), sequences=i)
doubled = theano.OpFromGraph([v, i], [v[i] * 2])
x, X = np.arange(3.0), np.eye(3)
cases = dict(
    element=([v, k], v[k], (x, -3), (x, -4)), list=([v, i], v[i], (x, [0, -3]), (np.arange(2.0), [0, 2])),
    pairs=([m, i], m[i, i], (X, [0, 2]), (X, [0, 3])), written=([m, i], T.set_subtensor(m[:, i], 5.0), (X, [0, 2]), (X, [3])),
    slope=([m, i], T.grad(m[i].sum(), m), (X, [0, 0]), (X, [3])),
    losses=([m, i], T.nnet.categorical_crossentropy(m, i), (X, [0, 1, 2]), (X, [0, 1, 3])),
    loops_slope=([v, i], T.grad(last, v), (x, [0, 2]), (x, [0, 3])), nested=([m, i], nested, (X, [0, 2]), (X, [0, 3])),
    asserted=([v], positive, ([1.0, 2.0],), ([1.0, 0.0],)),
    graph=([v, i], doubled(v, i), (x, [0, -2]), (x, [0, 3])), graph_in_loop=([v, i], in_loop, (x, [0, -2]), (x, [0, 3])),
)
out = {}
for name, (inputs, output, right, wrong) in cases.items():
    f = theano.function(inputs, output, mode="JAX")
    out[name] = [f(*right).tolist()]
    try:
        f(*wrong)
    except Exception as error:
        out[name] += [type(error).__name__, str(error).splitlines()[0]]
    out[name].append(f(*right).tolist() == out[name][0])
print(json.dumps(out))
"""


def test_indices_that_are_out_of_range_are_errors() -> None:
    """An element read or written past the end, a class too many, in a loop too: an error of Theano's kind, and no change to other calls."""
    done = interpreters.python("jax", "-c", START + OUTSIDE)
    assert done.returncode == 0, done.stderr
    assert "JAX cannot compile" not in done.stderr
    said = "index {} is out of bounds for axis {} with size {}".format
    identity = np.eye(3).tolist()
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "element": [0.0, "IndexError", said(-4, 0, 3), True],
        "list": [[0.0, 0.0], "IndexError", said(2, 0, 2), True],
        "pairs": [[1.0, 1.0], "IndexError", said(3, 0, 3), True],
        "written": [[[5.0, row[1], 5.0] for row in identity], "IndexError", said(3, 1, 3), True],
        "slope": [[[2.0] * 3, [0.0] * 3, [0.0] * 3], "IndexError", said(3, 0, 3), True],
        "losses": [[0.0] * 3, "ValueError", "y_i value out of bounds: classes from 0 to 3 of 3", True],
        "loops_slope": [[0.0, 0.0, 4.0], "IndexError", said(3, 0, 3), True],
        "nested": [[1.0, 0.0, 1.0], "IndexError", said(3, 0, 3), True],
        "asserted": [[1.0, 2.0], "AssertionError", "not positive", True],
        "graph": [[0.0, 2.0], "IndexError", said(3, 0, 3), True],
        "graph_in_loop": [[0.0, 2.0], "IndexError", said(3, 0, 3), True],
    }
