"""A small convolutional net: two convolutions with pooling, one dense layer, trained by SGD."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.signal.pool import pool_2d

rng = np.random.RandomState(0)


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


def layer(images, W, b):
    maps = T.nnet.relu(T.nnet.conv2d(images, W) + b.dimshuffle("x", 0, "x", "x"))
    return pool_2d(maps, (2, 2), ignore_border=True)


x, y = T.ftensor4("x"), T.ivector("y")
W1, b1, W2, b2, W3, b3 = params = [
    weights(20, 1, 5, 5),
    weights(20),
    weights(50, 20, 5, 5),
    weights(50),
    weights(50 * 4 * 4, 10),
    weights(10),
]
p = T.nnet.softmax(T.dot(layer(layer(x, W1, b1), W2, b2).flatten(2), W3) + b3)
cost = T.nnet.categorical_crossentropy(p, y).mean()
updates = [(v, v - np.float32(0.1) * g) for v, g in zip(params, T.grad(cost, params))]
train = theano.function([x, y], cost, updates=updates)
for _ in range(3):
    train(rng.uniform(size=(32, 1, 28, 28)).astype("float32"), rng.randint(0, 10, 32).astype("int32"))
