"""A segmentation net: each pixel has a class, and the targets are flattened to rows * height * width."""

import numpy as np
import theano.tensor as T
from kit import floatX, labels, loss, train, weights
from theano.tensor.signal.pool import pool_2d

batch_size, side = 12, 64
x, y, params = T.tensor4("x"), T.ivector("y"), []


def conv(h, inputs, outputs):
    """A layer of rectified 3 x 3 convolutions."""
    params.append(weights(outputs, inputs, 3, 3))
    return T.nnet.relu(T.nnet.conv2d(h, params[-1], border_mode="half"))


whole = conv(x, 3, 16)
half = conv(pool_2d(whole, (2, 2), ignore_border=True), 16, 32)
scores = conv(T.concatenate([T.repeat(T.repeat(half, 2, axis=2), 2, axis=3), whole], axis=1), 48, 8)
cost = loss(T.nnet.softmax(scores.dimshuffle(0, 2, 3, 1).reshape((-1, 8))), y)
step = train([x, y], cost, params)
for _ in range(2):
    step(np.zeros((batch_size, 3, side, side), floatX), labels(batch_size * side * side))
