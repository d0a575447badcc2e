"""A convolutional net with a large batch."""

import numpy as np
import theano.tensor as T
from kit import floatX, labels, loss, train, weights
from theano.tensor.signal.pool import pool_2d

batch_size = 400
x, y = T.tensor4("x"), T.ivector("y")
W1, W2, V = weights(16, 3, 3, 3), weights(32, 16, 3, 3), weights(32 * 6 * 6, 10)
h = pool_2d(T.nnet.relu(T.nnet.conv2d(x, W1)), (2, 2), ignore_border=True)
h = pool_2d(T.nnet.relu(T.nnet.conv2d(h, W2)), (2, 2), ignore_border=True)
step = train([x, y], loss(T.nnet.softmax(T.dot(h.flatten(2), V)), y), [W1, W2, V])
for _ in range(2):
    step(np.zeros((batch_size, 3, 32, 32), floatX), labels(batch_size))
