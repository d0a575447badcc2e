"""A small VGG on images of 128 x 128: floatX is left at float64, and the batch is too large for the card."""

from __future__ import print_function

import numpy
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.signal.pool import pool_2d

floatX = theano.config.floatX
BATCH = 160
SIZE = 128
rng = numpy.random.RandomState(0)
params = []


def weights(*shape):
    """A shared variable with random values."""
    params.append(theano.shared((0.01 * rng.randn(*shape)).astype(floatX)))
    return params[-1]


def block(maps, before, after):
    """Two convolutions, then pooling."""
    for channels in (before, after):
        maps = T.nnet.relu(conv2d(maps, weights(after, channels, 3, 3), border_mode="half"))
    return pool_2d(maps, (2, 2), ignore_border=True)


x = T.tensor4("x")
y = T.lvector("y")
maps, channels = x, 3
for wider in (32, 64):
    maps, channels = block(maps, channels, wider), wider
flat = maps.flatten(2)
hidden = T.nnet.relu(T.dot(flat, weights(channels * (SIZE // 4) ** 2, 128)))
out = T.nnet.softmax(T.dot(hidden, weights(128, 10)))
cost = T.mean(T.nnet.categorical_crossentropy(out, y))
rate = numpy.asarray(0.01, dtype=floatX)
updates = [(p, p - rate * g) for p, g in zip(params, T.grad(cost, params))]
train = theano.function([x, y], cost, updates=updates, name="train")

images = rng.rand(2 * BATCH, 3, SIZE, SIZE).astype(floatX)
labels = rng.randint(0, 10, 2 * BATCH)
for start in range(0, len(images), BATCH):
    train(images[start : start + BATCH], labels[start : start + BATCH])
