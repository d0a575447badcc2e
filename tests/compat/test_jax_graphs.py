"""What legacy scripts do and JAX alone refuses: shapes computed from shapes, minibatches by index, writing to results."""

from __future__ import annotations

import json

from tests import interpreters

from .conftest import START

PROGRAM = """
import json, numpy as np, theano, theano.tensor as T
def f(inputs, outputs, **kwargs):
    return theano.function(inputs, outputs, mode="JAX", **kwargs)
out = {}
data = np.arange(70.0).reshape(10, 7)
X, i, x = theano.shared(data), T.lscalar(), T.matrix()
batch = f([i], x * 2, givens={x: X[i * 4 : (i + 1) * 4]})
out["minibatches"] = [[k, batch(k).tolist(), (data[k * 4 : (k + 1) * 4] * 2).tolist()] for k in (0, 1, 0, 2, 3, -1, -2)]
count = []
import jax
jax.monitoring.register_event_duration_secs_listener(lambda name, *a, **k: count.append(name) if "backend_compile" in name else None)
for k in (0, 1, 0, 1):
    batch(k)
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
out["flat"] = list(f([x], T.alloc(1.0, x.shape[0] * 2) + x.flatten(1).reshape((x.shape[0] * 2, -1)).sum(axis=1))(np.ones((3, 4))).shape)
single = T.fmatrix()
out["dtype"] = str(f([single], single.var(axis=0))(np.ones((2, 2), "float32")).dtype)
result = f([x], x + 1)(np.ones((2, 2)))
result[0, 0] = 5.0
out["written"] = result.tolist()
print(json.dumps(out))
"""


def test_legacy_graphs_compile() -> None:
    """Each gives what numpy gives; an epoch of full minibatches compiles nothing again."""
    done = interpreters.python("jax", "-c", START + PROGRAM)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    for index, got, wanted in found["minibatches"]:
        assert got == wanted, index
    assert found["compilations"] == 0
    assert found["updated"] == [7.0 * row + 1 + (row >= 5) for row in range(10)]
    assert abs(found["cost"][0] - found["cost"][1]) < 1e-12
    assert found["flat"] == [6]
    assert found["dtype"] == "float32"
    assert found["written"] == [[5.0, 2.0], [2.0, 2.0]]
