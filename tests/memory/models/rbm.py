"""A restricted Boltzmann machine: Gibbs sampling in a scan, its generator's state updated by the scan."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = np.random.RandomState(0)
srng = MRG_RandomStreams(3)
W = theano.shared(rng.uniform(-0.1, 0.1, (196, 100)).astype("float32"))
hidden, visible = theano.shared(np.zeros(100, "float32")), theano.shared(np.zeros(196, "float32"))


def up(v):
    mean = T.nnet.sigmoid(T.dot(v, W) + hidden)
    return srng.binomial(mean.shape, n=1, p=mean, dtype="float32")


def down(h):
    mean = T.nnet.sigmoid(T.dot(h, W.T) + visible)
    return srng.binomial(mean.shape, n=1, p=mean, dtype="float32")


def energy(v):
    return -T.dot(v, visible) - T.nnet.softplus(T.dot(v, W) + hidden).sum(axis=1)


x = T.fmatrix("x")
chain = theano.shared(np.zeros((20, 196), "float32"))
samples, updates = theano.scan(lambda v: down(up(v)), outputs_info=[chain], n_steps=5)
end = theano.gradient.disconnected_grad(samples[-1])
cost = energy(x).mean() - energy(end).mean()
for p, g in zip((W, hidden, visible), T.grad(cost, [W, hidden, visible])):
    updates[p] = p - np.float32(0.1) * g
updates[chain] = end
train = theano.function([x], cost, updates=updates)
for _ in range(3):
    train(rng.uniform(size=(20, 196)).astype("float32"))
