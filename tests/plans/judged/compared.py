"""Two LSTMs with attention between them."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, lstm, sgd, weights

batch_size = 300
steps = 20
n = 64
a, b, y = T.imatrix("a"), T.imatrix("b"), T.matrix("y")
table = weights(1000, n)
first, p1 = lstm(table[a.T], n, n)
second, p2 = lstm(table[b.T], n, n)
A, B = first.dimshuffle(1, 0, 2), second.dimshuffle(1, 0, 2)
scores = T.exp(T.batched_dot(B, A.dimshuffle(0, 2, 1)))
seen = T.batched_dot(scores / scores.sum(2, keepdims=True), A)
h, p3 = lstm(T.concatenate([B, seen, B * seen], axis=2).dimshuffle(1, 0, 2), 3 * n, n)
W = weights(n, 3)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h[-1], W)), y).mean()
train = theano.function([a, b, y], cost, updates=sgd(cost, [W, *p1, *p2, *p3]), name="train")
ids = np.zeros((batch_size, steps), "int32")
for _ in range(2):
    train(ids, ids, np.zeros((batch_size, 3), floatX))
