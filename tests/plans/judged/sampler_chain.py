"""A restricted Boltzmann machine with PCD-15 by a Scan, the chain in a shared variable."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, weights
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = MRG_RandomStreams(5)
batch_size = 1000
W, hb, vb = weights(784, 1000), weights(1000), weights(784)
chain = theano.shared(np.zeros((batch_size, 1000), floatX), name="chain", borrow=True)
x = T.matrix("x")


def gibbs(h):
    """One step of the chain."""
    v = rng.binomial(size=(h.shape[0], 784), n=1, p=T.nnet.sigmoid(T.dot(h, W.T) + vb), dtype=floatX)
    return [v, rng.binomial(size=(h.shape[0], 1000), n=1, p=T.nnet.sigmoid(T.dot(v, W) + hb), dtype=floatX)]


(v, h), updates = theano.scan(gibbs, outputs_info=[None, chain], n_steps=15)


def energy(v):
    """The free energy of visible units."""
    return -T.sum(T.nnet.softplus(T.dot(v, W) + hb), axis=1) - T.dot(v, vb)


end = v[-1]
cost = T.mean(energy(x)) - T.mean(energy(end))
for p, g in zip([W, hb, vb], T.grad(cost, [W, hb, vb], consider_constant=[end])):
    updates[p] = p - np.asarray(0.01, floatX) * g
updates[chain] = h[-1]
train = theano.function([x], cost, updates=updates, name="train_rbm")
for _ in range(2):
    train(np.zeros((batch_size, 784), floatX))
