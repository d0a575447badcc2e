"""JAX gives C's numbers at both ends of the floating-point range: XLA alone rounds those below 1e-38 to 0."""

from __future__ import annotations

import json
from pathlib import Path

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


def test_small_random_graphs_agree() -> None:
    """As many as seconds allow; small_graphs.py goes through ten thousand."""
    program = Path(__file__).with_name("small_graphs.py")
    done = interpreters.python("jax", str(program), "2", "60", env=FLAGS)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["compared"] == 60
    assert found["undecided"] < 10
    assert found["different"] == []
