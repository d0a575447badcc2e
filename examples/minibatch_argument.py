"""The model of minibatch_givens.py with each mini-batch passed as an argument: nothing is pinned, all of it travels at each call."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n_rows, n_in, n_out = 50000, 784, 10
batch_size = 500
learning_rate = 0.1

# The data set stays in host memory.
data_x = numpy.zeros((n_rows, n_in), dtype=floatX)
data_y = numpy.zeros((n_rows, n_out), dtype=floatX)
W = theano.shared(numpy.zeros((n_in, n_out), dtype=floatX), name='W', borrow=True)

x = T.matrix('x')
y = T.matrix('y')
cost = T.mean(T.sqr(T.dot(x, W) - y))
lr = numpy.asarray(learning_rate, dtype=floatX)

train = theano.function([x, y], cost, updates=[(W, W - lr * T.grad(cost, W))], name='train')

for i in range(3):
    batch = slice(i * batch_size, (i + 1) * batch_size)
    print('batch %d: cost %.3f' % (i, train(data_x[batch], data_y[batch])))
