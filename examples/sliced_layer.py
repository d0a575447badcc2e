"""A 5000 x 5000 layer of which only the first rows are asked for: that does not mean that only they are computed."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n = 5000

W = theano.shared(numpy.zeros((n, n), dtype=floatX), name='W', borrow=True)
b = theano.shared(numpy.zeros((n,), dtype=floatX), name='b', borrow=True)

x = T.matrix('x')
batch_size = T.iscalar('batch_size')
y = T.tanh(T.dot(x, W) + b)

# Theano cuts the slice out of the whole layer; only later optimisers move it before the dot.
first_rows = theano.function([x, batch_size], y[:batch_size, :], name='first_rows')

out = first_rows(numpy.ones((n, n), dtype=floatX), 50)
print(out.shape)
