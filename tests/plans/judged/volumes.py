"""A recurrent net of 3-D convolutions, from views to voxels."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, sgd, weights
from theano.tensor.nnet import conv3d

batch_size = 24
views = 3
x, y = T.tensor3("x"), T.tensor5("y")
F = [weights(200, 16 * 6 * 6 * 6) for _ in range(2)]
K = [weights(16, 16, 3, 3, 3) for _ in range(2)]
out = weights(1, 16, 3, 3, 3)


def step(seen, s, F1, F2, K1, K2):
    """One view: a gate, and a new state."""
    u = T.nnet.sigmoid(conv3d(s, K1, border_mode="half") + T.dot(seen, F1).reshape(s.shape))
    return u * s + (1 - u) * T.tanh(conv3d(s, K2, border_mode="half") + T.dot(seen, F2).reshape(s.shape))


s, _ = theano.scan(step, [x], [T.zeros((x.shape[1], 16, 6, 6, 6), floatX)], [*F, *K])
cost = T.nnet.binary_crossentropy(T.nnet.sigmoid(conv3d(s[-1], out, border_mode="half")), y).mean()
train = theano.function([x, y], cost, updates=sgd(cost, [*F, *K, out]), name="train")
train(np.zeros((views, batch_size, 200), floatX), np.zeros((batch_size, 1, 6, 6, 6), floatX))
