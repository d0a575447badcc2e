"""Dot product attention over a memory, forward and training."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(0)


def w(*s):
    """Weights."""
    return theano.shared((rng.randn(*s) * 0.05).astype(floatX))


Q, K, O = w(64, 64), w(64, 64), w(64, 10)
x, y = T.tensor3("x"), T.ivector("y")
q, k = T.dot(x.mean(axis=1), Q), T.dot(x, K)
a = T.nnet.softmax((k * q[:, None, :]).sum(axis=2))
c = (x * a[:, :, None]).sum(axis=1)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(c, O)), y).mean()
train = theano.function([x, y], cost, updates=[(p, p - np.asarray(0.1, floatX) * T.grad(cost, p)) for p in (Q, K, O)])
for _ in range(3):
    print(train(rng.rand(64, 50, 64).astype(floatX), rng.randint(0, 10, 64).astype("int32")))
