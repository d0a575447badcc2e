"""The convolutional net of the tutorials: the batch is written into slices, a reshape, convolutions and random masks."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d

batch_size = 500
floatX = theano.config.floatX
train_set_x = theano.shared(np.zeros((1000, 784), floatX), borrow=True, name="train_set_x")
train_set_y = theano.shared(np.zeros(1000, "int32"), borrow=True, name="train_set_y")
index, x, y = T.lscalar("index"), T.matrix("x"), T.ivector("y")
h, params = x.reshape((batch_size, 1, 28, 28)), []
for inputs, outputs, size in ((1, 20, 28), (20, 50, 12)):
    W, b = theano.shared(np.zeros((outputs, inputs, 5, 5), floatX)), theano.shared(np.zeros(outputs, floatX))
    params += [W, b]
    h = T.nnet.conv2d(h, W, input_shape=(batch_size, inputs, size, size), filter_shape=(outputs, inputs, 5, 5))
    h = T.tanh(pool_2d(h, (2, 2), ignore_border=True) + b.dimshuffle("x", 0, "x", "x"))
D, P = (theano.shared(np.zeros(s, floatX)) for s in ((800, 500), (500, 10)))
params += [D, P]
mask = MRG_RandomStreams(1).binomial(size=(batch_size, 500), p=0.5, dtype=floatX)
p = T.nnet.softmax(T.dot(T.tanh(T.dot(h.flatten(2), D)) * mask, P))
cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
updates = [(v, v - np.asarray(0.1, floatX) * g) for v, g in zip(params, T.grad(cost, params))]
rows = slice(index * batch_size, (index + 1) * batch_size)
train = theano.function([index], cost, updates=updates, givens={x: train_set_x[rows], y: train_set_y[rows]}, name="train")
for k in range(2):
    train(k)
