"""A variational autoencoder with Adam: the sample, the bound, and a generator."""

from collections import OrderedDict
import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(1), MRG_RandomStreams(seed=4)


def dense(n, m, name):
    return theano.shared((rng.randn(n, m) * 0.05).astype("float32"), name="W_" + name), theano.shared(
        np.zeros(m, "float32"), name="b_" + name
    )


def adam(cost, params, lr=0.001, b1=0.9, b2=0.999, e=1e-8):
    updates = OrderedDict()
    i = theano.shared(np.float32(0.0))
    t = i + 1.0
    fix1, fix2 = 1.0 - (1.0 - b1) ** t, 1.0 - (1.0 - b2) ** t
    lr_t = lr * (T.sqrt(fix2) / fix1)
    for p, g in zip(params, T.grad(cost, params)):
        m = theano.shared(p.get_value() * 0.0)
        v = theano.shared(p.get_value() * 0.0)
        m_t = (b1 * g) + ((1.0 - b1) * m)
        v_t = (b2 * T.sqr(g)) + ((1.0 - b2) * v)
        updates[m], updates[v], updates[p] = m_t, v_t, p - (lr_t * (m_t / (T.sqrt(v_t) + e)))
    updates[i] = t
    return updates


x = T.matrix("x")
(W1, b1), (Wm, bm), (Ws, bs), (W2, b2), (W3, b3) = [
    dense(n, m, k) for n, m, k in ((196, 80, "e"), (80, 10, "m"), (80, 10, "s"), (10, 80, "d"), (80, 196, "o"))
]
h = T.nnet.softplus(T.dot(x, W1) + b1)
mu, log_sigma = T.dot(h, Wm) + bm, 0.5 * (T.dot(h, Ws) + bs)
eps = srng.normal(mu.shape, dtype="float32")
z = mu + T.exp(log_sigma) * eps


def decode(z):
    return T.clip(T.nnet.sigmoid(T.dot(T.nnet.softplus(T.dot(z, W2) + b2), W3) + b3), 1e-6, 1 - 1e-6)


kl = 0.5 * T.sum(1 + 2 * log_sigma - mu**2 - T.exp(2 * log_sigma), axis=1)
bound = (kl - T.nnet.binary_crossentropy(decode(z), x).sum(axis=1)).mean()
params = [W1, b1, Wm, bm, Ws, bs, W2, b2, W3, b3]
train = theano.function([x], bound, updates=adam(-bound, params))
latent = theano.function([x], [mu, log_sigma])
code = T.matrix("code")
generate = theano.function([code], decode(code))
for _ in range(3):
    train(rng.uniform(size=(50, 196)).astype("float32"))
latent(rng.uniform(size=(200, 196)).astype("float32"))
generate(rng.randn(64, 10).astype("float32"))
train(rng.uniform(size=(17, 196)).astype("float32"))
