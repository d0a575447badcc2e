"""A large table of words, trained by Adam; with `on_host` as TD326 writes it."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, lstm, weights

on_host = False
batch_size = 32
maxlen = 30
x, y = T.imatrix("x"), T.matrix("y")
table = theano.shared(np.zeros((100000, 100), floatX), name="table", **({"target": "cpu"} if on_host else {}))
h, params = lstm(table[x].dimshuffle(1, 0, 2), 100, 32)
W = weights(32, 1)
cost = T.nnet.binary_crossentropy(T.nnet.sigmoid(T.dot(h[-1], W)), y).mean()
train = theano.function([x, y], cost, updates=adam(cost, [table, W, *params]), name="train")
for _ in range(2):
    train(np.zeros((batch_size, maxlen), "int32"), np.zeros((batch_size, 1), floatX))
