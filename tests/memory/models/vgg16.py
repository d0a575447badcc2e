"""VGG16 with dropout, trained by SGD on batches of sixteen images."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.signal.pool import pool_2d

srng = MRG_RandomStreams(7)
params = []


def weights(*shape):
    params.append(theano.shared(np.zeros(shape, "float32")))
    return params[-1]


x, y = T.ftensor4("x"), T.ivector("y")
h, channels = x, 3
for n, repeats in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
    for _ in range(repeats):
        W, b = weights(n, channels, 3, 3), weights(n)
        h = T.nnet.relu(T.nnet.conv2d(h, W, border_mode="half") + b.dimshuffle("x", 0, "x", "x"))
        channels = n
    h = pool_2d(h, (2, 2), ignore_border=True)
h, width = h.flatten(2), 512 * 7 * 7
for n in (4096, 4096, 1000):
    h = T.dot(h, weights(width, n)) + weights(n)
    if n == 4096:
        h = T.nnet.relu(h)
        h = h * srng.binomial(h.shape, p=0.5, dtype="float32") * np.float32(2)
    width = n
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(h), y).mean()
train = theano.function([x, y], cost, updates=[(p, p - np.float32(0.1) * g) for p, g in zip(params, T.grad(cost, params))])
for _ in range(3):
    train(np.zeros((16, 3, 224, 224), "float32"), np.zeros(16, "int32"))
