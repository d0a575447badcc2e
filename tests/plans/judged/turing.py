"""A net that writes to a memory at each step."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, sgd, weights

batch_size = 20
steps = 100
slots, width, n = 32, 16, 32
x, y = T.tensor3("x"), T.tensor3("y")
params = [weights(8, n), weights(width, n), weights(n, n), weights(n, width), weights(n, width)]
W = weights(n + width, 4)


def step(x, s, M, r, Wx, Wr, U, Wk, Wa):
    """Reads, then writes, where the key says."""
    s = T.tanh(T.dot(x, Wx) + T.dot(r, Wr) + T.dot(s, U))
    w = T.nnet.softmax((M * T.dot(s, Wk)[:, None, :]).sum(2))
    r = (M * w[:, :, None]).sum(1)
    return s, M + w[:, :, None] * T.tanh(T.dot(s, Wa))[:, None, :], r


rows = x.shape[1]
starts = [T.zeros((rows, n), floatX), T.zeros((rows, slots, width), floatX), T.zeros((rows, width), floatX)]
(s, _, r), _ = theano.scan(step, [x], starts, params)
cost = T.nnet.binary_crossentropy(T.nnet.sigmoid(T.dot(T.concatenate([s, r], axis=2), W)), y).mean()
train = theano.function([x, y], cost, updates=sgd(cost, [*params, W]), name="train")
train(np.zeros((steps, batch_size, 8), floatX), np.zeros((steps, batch_size, 4), floatX))
