"""A softmax over a vocabulary, trained by SGD; with `by_sample` as TD328 writes it."""

import numpy as np
import theano
import theano.tensor as T

by_sample = False
floatX = theano.config.floatX
h, y, noise = T.matrix("h"), T.ivector("y"), T.ivector("noise")
W, b = theano.shared(np.zeros((50, 50000), floatX), name="W"), theano.shared(np.zeros(50000, floatX), name="b")
scores, right = T.dot(h, W) + b, y
if by_sample:
    words = theano.tensor.concatenate([y.flatten(), noise])
    scores, right = theano.tensor.dot(h, W[:, words]) + b[words], theano.tensor.arange(y.size)
cost = theano.tensor.nnet.categorical_crossentropy(theano.tensor.nnet.softmax(scores), right).mean()
updates = [(v, v - np.asarray(0.1, floatX) * g) for v, g in zip((W, b), T.grad(cost, [W, b]))]
train = theano.function([h, y, noise], cost, updates=updates, name="train", on_unused_input="ignore")
for _ in range(2):
    train(np.zeros((800, 50), floatX), np.zeros(800, "int32"), np.zeros(1000, "int32"))
