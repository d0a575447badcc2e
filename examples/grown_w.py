"""The layer of big_shared_w.py, begun at 10 x 10 and grown by an update: what is compiled looks small."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX

W = theano.shared(numpy.zeros((10, 10), dtype=floatX), name='W')
b = theano.shared(numpy.zeros((10,), dtype=floatX), name='b')

# The new values are computed beside the old ones; only then do they take their place.
n = T.lscalar('n')
grow = theano.function([n], [], updates=[(W, T.zeros((n, n), dtype=floatX)), (b, T.zeros((n,), dtype=floatX))], name='grow')

x = T.matrix('x')
layer = theano.function([x], T.tanh(T.dot(x, W) + b), name='layer')

grow(10000)
out = layer(numpy.ones((16, 10000), dtype=floatX))
print(out.shape)
