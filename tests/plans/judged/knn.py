"""Nearest neighbours: all distances between queries and the training set, by broadcasting."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(6)
train_x = theano.shared(rng.rand(4000, 60).astype(floatX), name="train_x")
queries = T.matrix("queries")
batch_size = 500
distances = T.sqrt(((queries[:, None, :] - train_x[None, :, :]) ** 2).sum(axis=2))
nearest = theano.function([queries], T.argmin(distances, axis=1), name="nearest")
test = rng.rand(1000, 60).astype(floatX)
for first in range(0, len(test), batch_size):
    nearest(test[first : first + batch_size])
