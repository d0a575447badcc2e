"""Linear regression on mini-batches cut out of a data set that is pinned on the device: only the index is passed at each call."""
from __future__ import print_function

import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
n_rows, n_in, n_out = 50000, 784, 10
batch_size = 500
learning_rate = 0.1

# The whole data set is on the device from here on.
data_x = theano.shared(numpy.zeros((n_rows, n_in), dtype=floatX), name='data_x', borrow=True)
data_y = theano.shared(numpy.zeros((n_rows, n_out), dtype=floatX), name='data_y', borrow=True)
W = theano.shared(numpy.zeros((n_in, n_out), dtype=floatX), name='W', borrow=True)

index = T.lscalar('index')
x = T.matrix('x')
y = T.matrix('y')
cost = T.mean(T.sqr(T.dot(x, W) - y))
lr = numpy.asarray(learning_rate, dtype=floatX)

train = theano.function(
    [index], cost,
    updates=[(W, W - lr * T.grad(cost, W))],
    givens={
        x: data_x[index * batch_size:(index + 1) * batch_size],
        y: data_y[index * batch_size:(index + 1) * batch_size],
    },
    name='train')

for i in range(3):
    print('batch %d: cost %.3f' % (i, train(i)))
