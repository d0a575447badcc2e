"""A convolutional net over words, with its test set in shared variables, read at once."""

import numpy as np
import theano
import theano.tensor as T
from kit import labels, loss, sgd, weights

batch_size = 50
tested = 4000
x, y, i = T.imatrix("x"), T.ivector("y"), T.lscalar("i")
words, W = weights(1000, 50), weights(30, 2)
kernels = [weights(10, 1, n, 50) for n in (3, 4, 5)]
read = words[x].dimshuffle(0, "x", 1, 2)
h = T.concatenate([T.nnet.relu(T.nnet.conv2d(read, k)).max(axis=(2, 3)) for k in kernels], axis=1)
p = T.nnet.softmax(T.dot(h, W))
cost = loss(p, y)
train_x, train_y = theano.shared(np.zeros((1000, 40), "int32"), name="train_x"), theano.shared(labels(1000), name="train_y")
test_x, test_y = theano.shared(np.zeros((tested, 40), "int32"), name="test_x"), theano.shared(labels(tested), name="test_y")
rows = slice(i * batch_size, (i + 1) * batch_size)
train = theano.function([i], cost, updates=sgd(cost, [words, W, *kernels]), givens={x: train_x[rows], y: train_y[rows]}, name="train")
test = theano.function([], T.neq(p.argmax(1), y).mean(), givens={x: test_x, y: test_y}, name="test")
for k in range(2):
    train(k)
test()
