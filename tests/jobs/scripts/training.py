"""Trains on slices of host data, so that only a smaller batch makes it fit."""

import sys

import numpy
import theano
import theano.tensor as T

batch_size = 4000
rows = int(sys.argv[1]) if len(sys.argv) > 1 else 8000
data = numpy.ones((rows, 500), "float32")
W = theano.shared(numpy.ones((500, 2), "float32"), name="W")
x = T.fmatrix("x")
cost = T.sqr(x.dot(W)).mean()
train = theano.function([x], cost, updates=[(W, W - numpy.float32(0.1) * theano.grad(cost, W))], name="train")
for k in range(0, rows, batch_size):
    train(data[k : k + batch_size])
