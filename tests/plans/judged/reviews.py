"""An LSTM over reviews: trained in batches, and validated at once."""

import numpy as np
import theano
import theano.tensor as T
from kit import adam, floatX, lstm, weights

batch_size = 16
validation = 3000
maxlen = 60
x, y = T.imatrix("x"), T.matrix("y")
table = weights(2000, 64)
h, params = lstm(table[x].dimshuffle(1, 0, 2), 64, 32)
W = weights(32, 1)
p = T.nnet.sigmoid(T.dot(h[-1], W))
cost = T.nnet.binary_crossentropy(p, y).mean()
train = theano.function([x, y], cost, updates=adam(cost, [table, W, *params]), name="train")
test = theano.function([x, y], [cost, T.eq(p > 0.5, y).mean()], name="test")
for _ in range(2):
    train(np.zeros((batch_size, maxlen), "int32"), np.zeros((batch_size, 1), floatX))
test(np.zeros((validation, maxlen), "int32"), np.zeros((validation, 1), floatX))
