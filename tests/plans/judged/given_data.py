"""All data in shared variables, of which givens take slices."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, sgd, weights

batch_size = 100
data = theano.shared(np.zeros((30000, 800), floatX), name="data")
targets = theano.shared(np.zeros((30000, 10), floatX), name="targets")
i, x, t = T.lscalar("i"), T.matrix("x"), T.matrix("t")
W, V = weights(800, 200), weights(200, 10)
cost = loss(T.nnet.softmax(T.dot(T.nnet.sigmoid(T.dot(x, W)), V)), t)
rows = slice(i * batch_size, (i + 1) * batch_size)
train = theano.function([i], cost, updates=sgd(cost, [W, V]), givens={x: data[rows], t: targets[rows]}, name="train")
for k in range(3):
    train(k)
