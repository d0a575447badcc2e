"""What the scripts share."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX


def weights(*shape):
    """Zeros in a shared variable."""
    return theano.shared(np.zeros(shape, floatX))


def loss(p, y):
    """The cost of a classifier."""
    return T.nnet.categorical_crossentropy(p, y).mean()


def train(inputs, cost, params, **options):
    """A function that trains by SGD."""
    updates = [(v, v - np.asarray(0.1, floatX) * g) for v, g in zip(params, T.grad(cost, params))]
    return theano.function(inputs, cost, updates=updates, name="train", **options)


def labels(n):
    """Classes."""
    return np.zeros(n, "int32")
