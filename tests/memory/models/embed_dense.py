"""Embeddings whose gradient is taken with respect to the whole table."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


ix, y = T.imatrix("ix"), T.ivector("y")
M, W, b = weights(5000, 64), weights(64, 3), weights(3)
rows = M[ix.flatten()]
means = rows.reshape((ix.shape[0], ix.shape[1], 64)).mean(axis=1)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(means, W) + b), y).mean()
lr = np.float32(0.1)
updates = [(v, v - lr * g) for v, g in zip([M, W, b], T.grad(cost, [M, W, b]))]
train = theano.function([ix, y], cost, updates=updates)
for _ in range(3):
    train(rng.randint(0, 5000, (32, 12)).astype("int32"), rng.randint(0, 3, 32).astype("int32"))
