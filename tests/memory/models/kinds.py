"""Nets of other kinds: NADE, MADE, a memory with content addressing, Hamiltonian Monte Carlo, k-means, a Gaussian process."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(5)
fx = theano.config.floatX
F = lambda *s: rng.uniform(-1, 1, s).astype(fx)
S = lambda *s: theano.shared(F(*s))
x = T.matrix("x")
sgd = lambda c, ps: [(p, p - np.float32(0.01) * g) for p, g in zip(ps, T.grad(c, ps))]
# NADE
W, V, b, c = S(40, 30), S(40, 30), S(40), S(30)
steps, _ = theano.scan(
    lambda xi, w, v, bi, a: [a + T.outer(xi, w), T.nnet.sigmoid(T.dot(T.nnet.sigmoid(a), v) + bi)],
    sequences=[x.T, W, V, b],
    outputs_info=[T.zeros((x.shape[0], 30), fx) + c, None],
)
p = T.clip(steps[1], 1e-5, 1 - 1e-5)
nade = -(x.T * T.log(p) + (1 - x.T) * T.log(1 - p)).sum(0).mean()
train_nade = theano.function([x], nade, updates=sgd(nade, [W, V, b, c]))
# MADE: masks are constants
M1 = (np.arange(40)[:, None] <= rng.randint(0, 39, 30)[None, :]).astype(fx)
M2 = (M1.T[:, :] > 0).astype(fx)
A, B = S(40, 30), S(30, 40)
q = T.nnet.sigmoid(T.dot(T.nnet.relu(T.dot(x, A * M1)), B * M2))
made = T.nnet.binary_crossentropy(T.clip(q, 1e-5, 1 - 1e-5), x).sum(1).mean()
train_made = theano.function([x], made, updates=sgd(made, [A, B]))
# a memory
memory, key = S(50, 20), S(40, 20)


def read_write(k, m):
    sim = T.dot(k, m.T) / (T.sqrt((k**2).sum()) * T.sqrt((m**2).sum(1)) + 1e-6)
    w = T.nnet.softmax(sim.dimshuffle("x", 0)).flatten()
    return [m * (1 - w[:, None] * 0.5) + w[:, None] * k[None, :], T.dot(w, m)]


(mem, reads), _ = theano.scan(read_write, sequences=T.dot(x, key), outputs_info=[memory, None])
ntm = (reads**2).mean() + (mem[-1] ** 2).mean()
train_ntm = theano.function([x], ntm, updates=sgd(ntm, [key]) + [(memory, mem[-1])])
# HMC on a Gaussian
pos, size = S(100, 10), theano.shared(np.float32(0.05))
cov = theano.shared((np.eye(10) + 0.1).astype(fx))
energy = lambda q: 0.5 * (T.dot(q, cov) * q).sum(1)
mom = srng.normal(size=pos.shape, dtype=fx)


def leap(q, v, s):
    v = v - s * T.grad(energy(q).sum(), q)
    return q + s * v, v


(qs, vs), _ = theano.scan(leap, outputs_info=[pos, mom], non_sequences=[size], n_steps=5)
accept = T.lt(srng.uniform(size=(100,)), T.exp(energy(pos) + 0.5 * (mom**2).sum(1) - energy(qs[-1]) - 0.5 * (vs[-1] ** 2).sum(1)))
rate = T.cast(accept.mean(), fx)
hmc = theano.function(
    [], rate, updates=[(pos, T.switch(accept[:, None], qs[-1], pos)), (size, T.clip(size * T.switch(rate > 0.9, 1.02, 0.98), 1e-3, 0.25))]
)
# k-means with an unknown number of rows in each cluster
centres = S(6, 40)
dist = (x**2).sum(1)[:, None] - 2 * T.dot(x, centres.T) + (centres**2).sum(1)[None, :]
near = T.eq(T.argmin(dist, 1)[:, None], T.arange(6)[None, :])
kmeans = theano.function(
    [x], dist.min(1).mean(), updates=[(centres, T.dot(T.cast(near, fx).T, x) / (T.cast(near.sum(0), fx)[:, None] + 1e-6))]
)
for rows in (64, 64, 20):
    data = F(rows, 40)
    train_nade(abs(data)), train_made((data > 0).astype(fx)), train_ntm(data), hmc(), kmeans(data)
hmc()
