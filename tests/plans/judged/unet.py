"""A net that goes down and up again, and keeps what it saw on the way."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, weights
from theano.tensor.signal.pool import pool_2d

batch_size = 12
side = 96
x, y = T.tensor4("x"), T.tensor4("y")
params = [weights(8, 1, 3, 3), weights(16, 8, 3, 3), weights(8, 24, 3, 3), weights(1, 8, 1, 1)]
a = T.nnet.relu(T.nnet.conv2d(x, params[0], border_mode="half"))
b = T.nnet.relu(T.nnet.conv2d(pool_2d(a, (2, 2), ignore_border=True), params[1], border_mode="half"))
up = T.concatenate([T.repeat(T.repeat(b, 2, 2), 2, 3), a], axis=1)
p = T.nnet.sigmoid(T.nnet.conv2d(T.nnet.relu(T.nnet.conv2d(up, params[2], border_mode="half")), params[3]))
cost = -(2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1)
train = theano.function([x, y], cost, updates=adam(cost, params), name="train")
picture = np.zeros((batch_size, 1, side, side), floatX)
for _ in range(2):
    train(picture, picture)
