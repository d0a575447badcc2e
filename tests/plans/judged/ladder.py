"""Noise beside the activations of each layer, and a cost of each of them (a ladder network)."""

import numpy as np
import theano.tensor as T
from kit import floatX, labels, loss, train, weights
from theano.sandbox.rng_mrg import MRG_RandomStreams

batch_size = 2500
x, y = T.matrix("x"), T.ivector("y")
random, sizes = MRG_RandomStreams(1), [784, 500, 250, 10]
params = [weights(a, b) for a, b in zip(sizes, sizes[1:])]
clean = noisy = x
cost = 0
for W in params:
    clean = T.tanh(T.dot(clean, W))
    noisy = T.tanh(T.dot(noisy, W) + random.normal((x.shape[0], W.shape[1]), std=0.3, dtype=floatX))
    cost = cost + ((clean - noisy) ** 2).mean()
step = train([x, y], cost + loss(T.nnet.softmax(noisy), y), params)
for _ in range(2):
    step(np.zeros((batch_size, 784), floatX), labels(batch_size))
