"""Our Ops on tensors give the same values, of the same dtype, in JAX as in Python."""

from __future__ import annotations

import json

import pytest

from tests import interpreters

from .conftest import START

PROGRAM = """
import json, numpy as np, theano, theano.tensor as T, theano.tensor.nlinalg as N, theano.tensor.slinalg as S, theano.tensor.extra_ops
from theano.tensor import xlogx
x, v = T.matrix(), T.vector()
spd, b = np.array([[4., 1., .5], [1., 3., .2], [.5, .2, 2.]]), np.array([1., 2., 3.])
cases = dict(
    topk=T.sort(T.topk(x, 2, axis=1, sorted=False)), argtopk=T.sort(T.argtopk(x, -2, axis=0, sorted=False)), sort=T.sort(x, 0),
    argsort=T.argsort(x, axis=1), gradient_of_topk=T.grad(T.topk(x, 2, sorted=False).sum(), x),
    gradient_of_sort=T.grad((T.sort(x, 1) ** 2).sum(), x), addbroadcast=T.addbroadcast(v.reshape((1, 3)), 0) + x,
    unbroadcast=T.unbroadcast(v.dimshuffle("x", 0), 0), max_and_argmax=T.max_and_argmax(x, axis=0)[1], mean=T.mean(x, axis=0, op=True),
    diff=T.extra_ops.diff(x, 1, 1), repeat=T.repeat(x, 2, axis=1), repeat_each=T.repeat(x, np.array([1, 2, 1]), axis=1),
    tile=T.tile(x, (2, 1)), solve=S.solve(x, v), gradient_of_solve=T.grad(S.solve(x, v).sum(), x), cholesky=S.cholesky(x),
    gradient_of_cholesky=T.grad(S.cholesky(x).sum(), x), eigh=N.eigh(x)[0], qr=abs(N.qr(x)[1]), inverse=N.matrix_inverse(x),
    xlogx=xlogx.xlogx(x), chi2sf=T.chi2sf(x, 2.0), kron=S.kron(x, x), alloc_diag=T.AllocDiag(1)(v), diag=N.diag(v),
    chosen=T.log(x)[T.arange(x.shape[0]), T.cast(v, "int64") - 1], column=x[:, 0][:, None] * x, batched_dot=T.batched_dot(x, x),
)
results = {}
for name, out in cases.items():
    pair = [theano.function([x, v], out, mode=mode, on_unused_input="ignore")(spd, b) for mode in ("FAST_COMPILE", "JAX")]
    results[name] = bool(pair[0].dtype == pair[1].dtype and np.allclose(*pair, rtol=1e-12, atol=1e-12))
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def agreement() -> dict[str, bool]:
    """By case, whether both modes agree."""
    interpreters.find("jax")
    done = interpreters.python("jax", "-W", "ignore", "-c", START + PROGRAM)
    assert done.returncode == 0, done.stderr
    found: dict[str, bool] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_jax_gives_what_python_gives(agreement: dict[str, bool]) -> None:
    """All cases, to 1e-12."""
    assert len(agreement) == 29
    assert not [name for name, same in agreement.items() if not same]
