"""conv3D of Theano until 0.9 and its transposes, which no installable Theano has: against the sum that defines them."""

from __future__ import annotations

from tests import interpreters

from .conftest import START

PROGRAM = """
import numpy, theano, theano.tensor as T
from theano.tensor.nnet import conv3D, convGrad3D, convTransp3D
theano.config.floatX = 'float64'
rng = numpy.random.RandomState(0)
mode = theano.Mode(linker='py', optimizer='fast_compile')
V, W, b, d = rng.randn(2, 7, 6, 5, 3), rng.randn(4, 3, 2, 2, 3), rng.randn(4), (2, 1, 3)

def by_hand(V, W, b, d):
    lengths = [(V.shape[i + 1] - W.shape[i + 1]) // d[i] + 1 for i in range(3)]
    out = numpy.zeros((V.shape[0], *lengths, W.shape[0]))
    for r in range(lengths[0]):
        for c in range(lengths[1]):
            for t in range(lengths[2]):
                part = V[:, d[0] * r:d[0] * r + W.shape[1], d[1] * c:d[1] * c + W.shape[2], d[2] * t:d[2] * t + W.shape[3]]
                out[:, r, c, t] = numpy.einsum('bklmz,jklmz->bj', part, W) + b
    return out

v, w, bias = T.TensorType('float64', (False,) * 5)('V'), T.TensorType('float64', (False,) * 5)('W'), T.vector('b', 'float64')
out = conv3D(v, w, bias, d)
H = theano.function([v, w, bias], out, mode=mode)(V, W, b)
print(numpy.allclose(H, by_hand(V, W, b, d), rtol=1e-12))
G = rng.randn(*H.shape)
wrt_w, wrt_v = T.grad((out * G).sum(), [w, v])
found = theano.function([v, w, bias], [wrt_w, convGrad3D(v, d, w.shape, G), wrt_v, convTransp3D(w, numpy.zeros(3), d, G, v.shape[1:4])],
                        mode=mode, on_unused_input='ignore')(V, W, b)
print(numpy.allclose(found[0], found[1], rtol=1e-12), numpy.allclose(found[2], found[3], rtol=1e-12), abs(found[0]).sum() > 1)
small = theano.function([w], convTransp3D(w, numpy.ones(3), d, G), mode=mode)(W)
print(small.shape, bool(numpy.allclose(small, found[2][:, :small.shape[1], :small.shape[2], :small.shape[3]] + 1)))
"""


def test_conv3d_and_its_transposes() -> None:
    """Values by the sum, the transposes by the gradients of conv3D, strides that leave a rest among them."""
    done = interpreters.python("pytensor", "-c", START + PROGRAM)
    assert done.stdout.splitlines() == ["True", "True True True", "(2, 7, 6, 5, 3) True"], done.stderr
