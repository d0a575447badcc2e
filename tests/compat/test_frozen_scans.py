"""Rewrites of Scans whose inner graph PyTensor freezes (3.1 and later)."""

from __future__ import annotations

from tests import interpreters

from .conftest import START

PROGRAM = """
import numpy as np, theano, theano.tensor as T
V, E, H = 6, 4, 5
W = [theano.shared(np.ones(s)) for s in ((V, E), (E, H), (H, H), (H,), (H, H))]
src, dst = T.imatrix(), T.imatrix()
enc, _ = theano.scan(lambda z, h: T.tanh(z + T.dot(h, W[2])), T.dot(W[0][src], W[1]), outputs_info=T.zeros((src.shape[1], H)))
def decode(y, h, enc, keys):
    a = T.nnet.softmax(T.dot(T.tanh(keys + T.dot(h, W[2])[None, :, :]), W[3]).T).T
    return T.tanh(T.dot(W[0][y], W[1]) + T.dot((enc * a[:, :, None]).sum(axis=0), W[4]))
hs, _ = theano.scan(decode, dst, outputs_info=enc[-1], non_sequences=[enc, T.dot(enc, W[4])])
f = theano.function([src, dst], T.grad(hs.sum(), W), mode=theano.Mode(linker='py', optimizer='fast_run'))
words = np.zeros((3, 2), 'int32')
print([g.shape for g in f(words, words)] == [w.get_value().shape for w in W])
"""


def test_no_rewrite_fails() -> None:
    """Attention is a product in each step of a Scan, whose gradient sums products."""
    done = interpreters.python("pytensor_new", "-c", START + PROGRAM)
    assert (done.stdout, "Rewrite failure" in done.stderr) == ("True\n", False), done.stderr
