"""A language model whose targets are flattened before they are given."""

import numpy as np
import theano
import theano.tensor as T
from kit import lstm, sgd, weights

batch_size = 80
steps = 20
words = 2000
x, y = T.imatrix("x"), T.ivector("y")
table = weights(words, 64)
h, params = lstm(table[x], 64, 64)
W = weights(64, words)
p = T.nnet.softmax(T.dot(h.reshape((-1, 64)), W))
cost = T.nnet.categorical_crossentropy(p, y).mean()
train = theano.function([x, y], cost, updates=sgd(cost, [table, W, *params]), name="train")
for _ in range(2):
    train(np.zeros((steps, batch_size), "int32"), np.zeros(steps * batch_size, "int32"))
