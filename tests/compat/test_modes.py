"""What is said where a mode cannot run an Op: the line of the script that uses it, and what to do."""

from __future__ import annotations

import json

import pytest

from tests import interpreters

from .conftest import START

ONLY_C = """
import theano, theano.tensor as T
class Twice(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def c_code(self, node, name, inputs, outputs, sub):
        return ""
x = T.vector()
y = Twice()(x)  # here
try:
    theano.function([x], y + 1, mode=MODE)
except Exception as error:
    print(type(error).__name__, error)
"""


WAYS = [("pytensor", "FAST_COMPILE"), ("pytensor", "FAST_RUN"), ("pytensor", "NUMBA"), ("jax", "JAX"), ("torch", "PYTORCH")]


@pytest.mark.parametrize(("interpreter", "mode"), WAYS)
def test_an_op_with_only_c_code_is_refused_when_the_function_is_made(interpreter: str, mode: str) -> None:
    """With the line on which the Op is applied, not the one inside its own make_node."""
    program = START + ONLY_C.replace("MODE", repr(mode))
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", "-c", program)
    assert done.returncode == 0, done.stderr
    line = program.splitlines().index("y = Twice()(x)  # here") + 1
    assert done.stdout.startswith(f"MethodNotDefined <string>:{line}: Op Twice cannot run: it has only C code"), done.stdout


PYTORCH = """
import json, warnings, numpy as np, theano, theano.tensor as T
from theano.tensor.signal import pool
warnings.simplefilter("ignore")
rng = np.random.RandomState(0)
x, y, n = T.tensor4(), T.ivector(), T.lscalar()
w, v, b = theano.shared(rng.randn(3, 2, 3, 3)), theano.shared(rng.randn(12, 4)), theano.shared(np.zeros(4))
X, Y = rng.randn(5, 2, 6, 6), rng.randint(0, 4, 5).astype("int32")
h = pool.pool_2d(T.tanh(T.nnet.conv2d(x, w)), (2, 2), ignore_border=True).flatten(2)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(h.dot(v) + b), y).mean()
doubled, _ = theano.scan(lambda a: a * 2, outputs_info=T.constant(1.0), n_steps=n)
strided = T.nnet.conv2d(x, w, border_mode="half", subsample=(2, 1), filter_dilation=(1, 2))
cases = dict(
    lenet=([x, y], [cost] + T.grad(cost, [w, v, b]), (X, Y)), scan=([n], [doubled], (4,)),
    convolution=([x], [strided, T.grad((strided ** 2).sum(), x), T.grad((strided ** 2).sum(), w)], (X,)),
)
same = {}
for name, (inputs, outputs, values) in cases.items():
    pair = [theano.function(inputs, outputs, mode=mode)(*values) for mode in ("FAST_COMPILE", "PYTORCH")]
    same[name] = [bool(a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b)) for a, b in zip(*pair)]
print(json.dumps(same))
"""


def test_a_convolutional_net_and_a_loop_in_pytorch() -> None:
    """What PyTorch has it computes, and what it lacks (loops, poolings) runs between."""
    interpreters.find("torch")
    done = interpreters.python("torch", "-W", "ignore", "-c", START + PYTORCH, timeout=600)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"lenet": [True] * 4, "scan": [True], "convolution": [True] * 3}
