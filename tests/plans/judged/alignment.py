"""Labels aligned with frames by a recursion over all paths."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, lstm, sgd, weights

batch_size = 64
steps = 80
symbols, longest = 40, 20
x, y = T.tensor3("x"), T.imatrix("y")
h, params = lstm(x, 30, 48)
W = weights(48, symbols)
flat = T.dot(h, W).reshape((-1, symbols))
p = T.nnet.softmax(flat).reshape((x.shape[0], x.shape[1], symbols))
rows = T.arange(y.shape[0])[:, None]


def step(p, alpha):
    """The paths that end at each label after one more frame."""
    moved = T.concatenate([T.zeros_like(alpha[:, :1]), alpha[:, :-1]], axis=1)
    return (alpha + moved) * p[rows, y]


start = T.set_subtensor(T.zeros((y.shape[0], y.shape[1]), floatX)[:, 0], 1)
alpha, _ = theano.scan(step, [p], [start])
cost = -T.log(alpha[-1, :, -1] + np.asarray(1e-20, floatX)).mean()
train = theano.function([x, y], cost, updates=sgd(cost, [W, *params]), name="train")
for _ in range(2):
    train(np.zeros((steps, batch_size, 30), floatX), np.zeros((batch_size, longest), "int32"))
