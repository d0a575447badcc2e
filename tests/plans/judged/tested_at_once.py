"""A convolutional net that is tested with all pictures at once."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, sgd, weights
from theano.tensor.signal.pool import pool_2d

batch_size = 32
pictures = 2000
x, y = T.tensor4("x"), T.ivector("y")
k1, k2, W = weights(16, 3, 3, 3), weights(32, 16, 3, 3), weights(32 * 8 * 8, 10)
h = pool_2d(T.nnet.relu(T.nnet.conv2d(x, k1, border_mode="half")), (2, 2), ignore_border=True)
h = pool_2d(T.nnet.relu(T.nnet.conv2d(h, k2, border_mode="half")), (2, 2), ignore_border=True)
p = T.nnet.softmax(T.dot(h.flatten(2), W))
cost = loss(p, y)
train = theano.function([x, y], cost, updates=sgd(cost, [k1, k2, W]), name="train")
test = theano.function([x, y], T.neq(p.argmax(1), y).mean(), name="test")
for _ in range(2):
    train(np.zeros((batch_size, 3, 32, 32), floatX), labels(batch_size))
test(np.zeros((pictures, 3, 32, 32), floatX), labels(pictures))
