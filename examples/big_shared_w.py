"""One 10000 x 10000 layer: the weights alone are 400 MB in float32, 800 MB in float64."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n = 10000

# The weights stay on the device for as long as the script runs.
W = theano.shared(numpy.zeros((n, n), dtype=floatX), name='W', borrow=True)
b = theano.shared(numpy.zeros((n,), dtype=floatX), name='b', borrow=True)

x = T.matrix('x')
layer = theano.function([x], T.tanh(T.dot(x, W) + b), name='layer')

# 16 rows are next to nothing beside the weights.
out = layer(numpy.ones((16, n), dtype=floatX))
print(out.shape)
