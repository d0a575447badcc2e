"""The whole test set is passed to the function that evaluates it, after each epoch."""

from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
rows, n = 20000, 784
test = numpy.random.RandomState(1).rand(rows, n).astype(floatX)
W = theano.shared(numpy.random.RandomState(2).rand(n, 10).astype(floatX), name="W")

x = T.matrix("x")
evaluate = theano.function([x], T.mean(T.dot(x, W)), name="evaluate")
for epoch in range(3):
    print("epoch %d: %.3f" % (epoch, evaluate(test)))
