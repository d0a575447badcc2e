"""JAX gives C's numbers at both ends of the floating-point range: XLA alone rounds those below 1e-38 to 0."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests import interpreters

from .conftest import START

SMALL = """
import json, numpy as np, theano, theano.tensor as T
x, y, i, m = T.vector(), T.lvector(), T.lscalar(), T.matrix()
p = T.nnet.softmax(m)
steps, _ = theano.scan(lambda a: T.log(a), sequences=x)
data = theano.shared(np.full((1000, 20), 3e-42, "float32"))
scaled = m * np.float32(1e7 / 3)
cases = dict(
    half=([x], x * np.float32(0.5)), log=([x], T.log(x)), exp=([x], T.exp(T.log(x))), ratio=([x], x / np.float32(2e-40)),
    far=([x], x / np.float32(2e38)), positive=([x], T.gt(x, 0) * 1.0), steps=([x], steps), mean=([], T.log(data).mean()),
    sum=([x], T.exp(x - 95).sum() * np.float32(1e30)), product=([x], T.exp(x + 60) * T.exp(x + 60)),
    cost=([m, y], -T.log(p[T.arange(4), y])), slope=([m, y], T.grad(-T.log(p[T.arange(4), y]).mean(), m)[:, 0]),
    quotient=([x], x / np.float32(1e-30) / np.float32(1e30)), batch=([i], T.log(data[i * 5 : i * 5 + 5]).sum()),
    whole=([m], T.prod(T.exp(m), axis=0)), root=([x], x ** np.float32(-0.5)), inverse=([x], T.inv(np.float32(1e30) / x)),
    zeros=([x], 1 / T.zeros_like(x)), untold=([i], T.inv(T.alloc(np.float32(0), i))),
    centred=([m], T.exp(scaled - scaled.max(axis=1, keepdims=True)).max(axis=1)),
)
given = {x: np.float32([1e-40, 3e-42, 2e-38, 1.0]), y: np.int64([1, 1, 0, 1]), i: 7}
given[m] = np.float32([[0, -95], [0, -100], [-87.5, 0], [0, -103]])
wanted = theano.Mode(linker="cvm").excluding("fusion")
print(json.dumps({name: [np.asarray(theano.function(inputs, output, mode=mode)(*(given[v] for v in inputs))).tolist()
                         for mode in (wanted, "JAX")] for name, (inputs, output) in cases.items()}))
"""
FLAGS = {"THEANO_FLAGS": "floatX=float32", "PYTENSOR_FLAGS": "cxx="}


@pytest.mark.parametrize("name", ["jax", "jax_old"])
def test_denormal_numbers_are_kept(name: str) -> None:
    """Logarithms, softmax costs and their gradients, loops, minibatches; quotients and products that XLA would merge."""
    done = interpreters.python(name, "-c", START + SMALL, env=FLAGS)
    assert done.returncode == 0, done.stderr
    for case, (wanted, found) in json.loads(done.stdout.splitlines()[-1]).items():
        pairs = zip(wanted, found) if isinstance(wanted, list) else [(wanted, found)]
        assert all(a == b or abs(a - b) <= 1e-4 * abs(a) + 4e-45 for a, b in pairs), (case, wanted, found)


MIXED = """
import json, numpy as np, theano, theano.tensor as T
i, j, f, b = T.ivector(), T.ivector(), T.fvector(), T.bvector()
given = {i: np.int32([16777217, 7, -2147483647]), j: np.int32([3, -2, 7]), f: np.float32([1.5, -3, 3e7]), b: np.int8([-128, 3, 7])}
cases = dict(
    ratio=[i, j, i / j], root=[i, T.sqrt(abs(i))], power=[i, abs(i) ** 1.5], angle=[f, i, T.arctan2(f, i)], rest=[f, i, T.mod(i, f)],
    sum=[f, i, f + i], less=[f, i, T.lt(T.cast(i - 1, "float32"), i)], larger=[f, i, T.maximum(f, i)], chosen=[f, i, T.switch(f > 0, f, i)],
    whole=[f, i, i // f], soft=[b, T.nnet.softsign(b)],
)
run = lambda case, mode: theano.function(case[:-1], case[-1], mode=mode, on_unused_input="ignore")(*(given[v] for v in case[:-1]))
plain = theano.Mode(linker="py", optimizer=None)
print(json.dumps({name: [[str(a.dtype), a.tolist()] for a in (run(case, plain), run(case, "JAX"))] for name, case in cases.items()}))
"""


@pytest.mark.parametrize("name", ["jax", "jax_old"])
def test_mixed_types_are_computed_in_the_type_of_the_result(name: str) -> None:
    """int32 / int32, and float32 with int32, are computed in float64, not in JAX's float32."""
    done = interpreters.python(name, "-c", START + MIXED, env={"PYTENSOR_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    for case, ((wanted_type, wanted), (found_type, found)) in json.loads(done.stdout.splitlines()[-1]).items():
        assert found_type == wanted_type, case
        rel = 1e-6 if wanted_type == "float32" else 1e-13
        assert found == pytest.approx(wanted, rel=rel), case


BESSEL = """
import json, numpy as np, theano, theano.tensor as T
x, m, i, n = T.dvector(), T.fmatrix(), T.bvector(), T.dscalar()
steps, _ = theano.scan(lambda a: T.j0(a), sequences=x)
outs = dict(j0=T.j0(x), j1=T.j1(x), jv=T.jv(n, x), slope=T.grad(T.j0(x).sum(), x), single=T.j0(m), small=T.j1(i), steps=steps,
    column=T.jv(n + x.dimshuffle(0, "x"), x))
given = {x: [-2.0, 0.0, 0.5, 3.0, 30.0], m: np.float32([[1, 2], [3, 40]]), i: np.int8([0, 3]), n: 2.0}
made = {}
for mode in (theano.Mode(linker="py", optimizer=None), "JAX"):
    f = theano.function([x, m, i, n], list(outs.values()), mode=mode)
    made[str(mode)] = [[str(a.dtype), a.tolist()] for a in f(*(given[v] for v in (x, m, i, n)))]
print(json.dumps([list(outs), *made.values()]))
"""


@pytest.mark.parametrize("name", ["jax", "jax_old"])
def test_a_function_of_scipy_that_jax_lacks(name: str) -> None:
    """Bessel functions are SciPy's own, called from the compiled function: JAX has no j0, j1 and jv."""
    done = interpreters.python(name, "-W", "error:JAX cannot compile", "-c", START + BESSEL, env={"PYTENSOR_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    names, wanted, found = json.loads(done.stdout.splitlines()[-1])
    for case, (wanted_type, expected), (found_type, value) in zip(names, wanted, found):
        assert found_type == wanted_type, case
        rel = 1e-6 if wanted_type == "float32" else 1e-13
        assert np.asarray(value) == pytest.approx(np.asarray(expected), rel=rel, abs=1e-15, nan_ok=True), case


INTEGERS = """
import json, numpy as np, theano, theano.tensor as T, theano.tensor.nlinalg as nl, theano.tensor.slinalg as sl
i, j, m, w, x, v = T.lvector(), T.lvector(), T.lmatrix(), T.fmatrix(), T.dmatrix(), T.dvector()
mask, rows, b = T.TensorType("bool", (False,))(), np.array([True, False, True]), T.bmatrix()
square, each = np.arange(9.0).reshape(3, 3), theano.scan(lambda a: 100 // a, sequences=i)[0]
cases = dict(
    power=([i, j], i ** j, [[2, -1, 1, -1, 0, 3], [-1, -2, -5, -3, 2, 20]]), quotient=([i, j], i // j, [[1, 2], [0, 1]]),
    rest=([i, j], i % j, [[1, 2], [0, 1]]), loop=([i], each, [[3, 0]]), sound=([i], 100 // T.maximum(i, 1), [[3, 0]]),
    product=([m, w], T.dot(m, w), [[[16777217, 3]], np.float32([[1], [1]])]),
    rows=([x], T.set_subtensor(x[rows], -1), [square]), added=([x, mask], T.inc_subtensor(x[mask], 5), [square, rows]),
    columns=([x, mask], T.set_subtensor(x[:, mask], -1), [square, rows]), total=([x, mask], x[mask].sum(), [square, rows]),
    across=([x, mask], x[:, mask].sum(), [square, rows]), bytes=([b], b[b > 2].sum(), [np.full((2, 2), 100, "int8")]),
    sorter=([v], T.extra_ops.searchsorted(v, np.array([1.5, 9]), sorter=T.argsort(v)), [[3.0, 1, 2]]),
    inverse=([x], nl.matrix_inverse(x), [np.ones((2, 2))]), solved=([x, v], sl.solve(x, v), [np.ones((2, 2)), [1.0, 2]]),
    substituted=([x, v], sl.solve_lower_triangular(x, v), [np.tri(2, k=-1), [1.0, 2]]), factor=([x], sl.cholesky(x), [-np.eye(2)]),
    unknown=([x, v], sl.solve(x, v), [np.eye(2), [np.nan, 2]]), endless=([x, v], sl.solve_upper_triangular(x, v), [np.eye(2), [np.inf, 2]]),
    no_number=([x], sl.Cholesky(on_error="nan")(x), [-np.eye(2)]), spread=([x], x.std(ddof=1), [square[:2]]),
)
def answer(inputs, output, values):
    try:
        return theano.function(inputs, output)(*values).tolist()
    except (ZeroDivisionError, np.linalg.LinAlgError, ValueError) as error:
        return type(error).__name__
print(json.dumps({name: answer(*case) for name, case in cases.items()}))
"""
THEANOS: dict[str, object] = {
    "power": [0, 1, 1, -1, 0, 3486784401], "quotient": "ZeroDivisionError", "rest": "ZeroDivisionError", "loop": "ZeroDivisionError",
    "sound": [33, 100], "product": [[16777220.0]], "rows": [[-1, -1, -1], [3, 4, 5], [-1, -1, -1]],
    "added": [[5, 6, 7], [3, 4, 5], [11, 12, 13]], "columns": [[-1, 1, -1], [-1, 4, -1], [-1, 7, -1]], "total": 24, "across": 24,
    "bytes": 400, "sorter": [1, 3], "inverse": "LinAlgError", "solved": "LinAlgError", "substituted": "LinAlgError",
    "unknown": "ValueError", "endless": "ValueError",
    "factor": "LinAlgError", "no_number": [[np.nan, np.nan], [np.nan, np.nan]], "spread": pytest.approx(np.sqrt(17.5 / 2)),
}  # fmt: skip
"""What Theano 1.0.5 answers, with its C compiler."""


@pytest.mark.parametrize("name", ["jax", "jax_old"])
def test_what_xla_would_answer_in_silence(name: str) -> None:
    """Division by 0 and singular matrices are errors; masks select their own axis; products of mixed types keep all digits."""
    done = interpreters.python(name, "-c", START + INTEGERS, env={"THEANO_FLAGS": "mode=JAX", "PYTENSOR_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert set(found) == set(THEANOS)
    for case, wanted in THEANOS.items():
        same = np.array_equal(found[case], wanted, equal_nan=True) if case == "no_number" else found[case] == wanted  # type: ignore[arg-type]
        assert same, (case, found[case])


def test_small_random_graphs_agree() -> None:
    """As many as seconds allow; small_graphs.py goes through ten thousand."""
    program = Path(__file__).with_name("small_graphs.py")
    done = interpreters.python("jax", str(program), "2", "60", env=FLAGS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["compared"] == 60
    assert found["undecided"] < 10
    assert found["different"] == []
