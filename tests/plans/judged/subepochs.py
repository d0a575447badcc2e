"""Data that is loaded anew for each part of an epoch."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, sgd, weights

batch_size = 10
segments = 4000
x_data = theano.shared(np.zeros((1, 2, 15, 15, 15), floatX), name="x_data")
y_data = theano.shared(np.zeros(1, "int32"), name="y_data")
i = T.lscalar("i")
x, y = x_data[i * batch_size : (i + 1) * batch_size], y_data[i * batch_size : (i + 1) * batch_size]
k, W = weights(8, 2, 3, 3, 3), weights(8 * 13**3, 5)
p = T.nnet.softmax(T.dot(T.nnet.relu(T.nnet.conv3d(x, k)).flatten(2), W))
cost = loss(p, y)
train = theano.function([i], cost, updates=sgd(cost, [k, W]), name="train")
for _ in range(2):
    x_data.set_value(np.zeros((segments, 2, 15, 15, 15), floatX), borrow=True)
    y_data.set_value(np.zeros(segments, "int32"), borrow=True)
    train(0)
