"""A search over learning rates: each model stays in a list, with its functions and its weights on the device."""

from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n = 2000
data = numpy.random.RandomState(1).rand(64, n).astype(floatX)


def build(rate):
    """A model, and the function that trains it."""
    W = theano.shared(numpy.random.RandomState(2).rand(n, n).astype(floatX), name="W")
    x = T.matrix("x")
    cost = T.mean(T.sqr(T.dot(x, W) - x))
    train = theano.function([x], cost, updates=[(W, W - numpy.asarray(rate, floatX) * T.grad(cost, W))], name="train")
    return W, train


models = []
for rate in [0.3, 0.1, 0.03, 0.01, 0.003]:
    W, train = build(rate)
    score = float(train(data))
    models.append((rate, score, W, train))
print(min((score, rate) for rate, score, _, _ in models))
