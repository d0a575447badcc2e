"""A restricted Boltzmann machine, whose batch is written in the step of its chain."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, weights
from theano.sandbox.rng_mrg import MRG_RandomStreams

batch_size = 2000
visible, hidden = 784, 500
x = T.matrix("x")
W, b, c = weights(visible, hidden), weights(hidden), weights(visible)
rng = MRG_RandomStreams(1)


def step(v, W, b, c):
    """Up and down once."""
    p = T.nnet.sigmoid(T.dot(v, W) + b)
    h = rng.binomial((batch_size, hidden), p=p, dtype=floatX)
    return rng.binomial((batch_size, visible), p=T.nnet.sigmoid(T.dot(h, W.T) + c), dtype=floatX)


chain, changes = theano.scan(step, None, [x], [W, b, c], n_steps=3)
end = theano.gradient.disconnected_grad(chain[-1])


def energy(v):
    """The free energy of each row."""
    return -T.dot(v, c) - T.nnet.softplus(T.dot(v, W) + b).sum(axis=1)


cost = (energy(x) - energy(end)).mean()
updates = [(p, p - np.asarray(0.1, floatX) * g) for p, g in zip((W, b, c), T.grad(cost, [W, b, c]))]
train = theano.function([x], cost, updates=updates + list(changes.items()), name="train")
for _ in range(2):
    train(np.zeros((batch_size, visible), floatX))
