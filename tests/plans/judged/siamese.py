"""Two pictures through one net, and their distance."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, sgd, weights

batch_size = 150
left, right, same = T.tensor4("left"), T.tensor4("right"), T.vector("same")
k1, k2, W = weights(16, 1, 5, 5), weights(16, 16, 5, 5), weights(16 * 12 * 12, 64)


def embedded(x):
    """The picture as a row."""
    h = T.nnet.relu(T.nnet.conv2d(x, k1, subsample=(2, 2)))
    return T.dot(T.nnet.relu(T.nnet.conv2d(h, k2, subsample=(2, 2))).flatten(2), W)


d = T.sqrt(T.sqr(embedded(left) - embedded(right)).sum(axis=1) + np.asarray(1e-6, floatX))
cost = (same * T.sqr(d) + (1 - same) * T.sqr(T.maximum(1 - d, 0))).mean()
train = theano.function([left, right, same], cost, updates=sgd(cost, [k1, k2, W]), name="train")
pictures = np.zeros((batch_size, 1, 60, 60), floatX)
for _ in range(2):
    train(pictures, pictures, np.zeros(batch_size, floatX))
