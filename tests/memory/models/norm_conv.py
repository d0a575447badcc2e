"""Convolutions with batch normalisation, a residual connection, strides and mean pooling."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import bn
from theano.tensor.signal.pool import pool_2d

rng = np.random.RandomState(0)
params = []


def weights(*shape):
    params.append(theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32")))
    return params[-1]


def block(images, n_in, n_out, stride=1):
    maps = T.nnet.conv2d(images, weights(n_out, n_in, 3, 3), border_mode="half", subsample=(stride, stride))
    gamma, beta = weights(1, n_out, 1, 1), weights(1, n_out, 1, 1)
    gamma, beta = [T.addbroadcast(v, 0, 2, 3) for v in (gamma, beta)]
    return T.nnet.relu(bn.batch_normalization_train(maps, gamma, beta, axes="spatial")[0])


x, y = T.ftensor4("x"), T.ivector("y")
first = block(x, 3, 16)
second = block(block(first, 16, 16), 16, 16) + first
third = block(second, 16, 32, stride=2)
pooled = pool_2d(third, (8, 8), ignore_border=True, mode="average_exc_pad").flatten(2)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(pooled, weights(32, 10))), y).mean()
train = theano.function([x, y], cost, updates=[(p, p - np.float32(0.1) * g) for p, g in zip(params, T.grad(cost, params))])
for n in (8, 8, 5):
    train(rng.uniform(size=(n, 3, 16, 16)).astype("float32"), rng.randint(0, 10, n).astype("int32"))
