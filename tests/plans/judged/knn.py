"""Nearest neighbours: all distances between queries and the training set, by broadcasting."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(6)
train_x = theano.shared(rng.rand(4000, 60).astype(floatX), name="train_x")
queries = T.matrix("queries")
batch_size = 500
as_dot = False
if as_dot:
    squares = T.maximum((queries**2).sum(1)[:, None] + (train_x**2).sum(1)[None, :] - 2 * T.dot(queries, train_x.T), 0)
else:
    squares = ((queries[:, None, :] - train_x[None, :, :]) ** 2).sum(axis=2)
distances = T.sqrt(squares)
nearest = theano.function([queries], T.argmin(distances, axis=1), name="nearest")
test = rng.rand(1000, 60).astype(floatX)
for first in range(0, len(test), batch_size):
    nearest(test[first : first + batch_size])
