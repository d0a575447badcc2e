"""A translation model: two recurrent nets over a sentence, one over its translation, with attention."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, gru, sgd, weights

batch_size = 120
steps = 25
n, words = 100, 3000
x, y, x_mask, y_mask = T.imatrix("x"), T.imatrix("y"), T.matrix("x_mask"), T.matrix("y_mask")
sources, targets = weights(words, n), weights(words, n)
read, said = sources[x], targets[y]
there, p1 = gru(read, x_mask, n, n)
back, p2 = gru(read[::-1], x_mask[::-1], n, n)
context = T.concatenate([there, back[::-1]], axis=2)
h, p3 = gru(T.concatenate([T.zeros_like(said[:1]), said[:-1]]), y_mask, n, 2 * n)
scores = T.batched_dot(h.dimshuffle(1, 0, 2), context.dimshuffle(1, 2, 0))
shares = T.nnet.softmax(scores.reshape((-1, x.shape[0]))).reshape(scores.shape)
seen = T.batched_dot(shares, context.dimshuffle(1, 0, 2)).dimshuffle(1, 0, 2)
W = weights(4 * n, words)
p = T.nnet.softmax(T.dot(T.concatenate([h, seen], axis=2), W).reshape((-1, words)))
cost = (T.nnet.categorical_crossentropy(p, y.flatten()) * y_mask.flatten()).sum() / y_mask.sum()
train = theano.function([x, x_mask, y, y_mask], cost, updates=sgd(cost, [sources, targets, W, *p1, *p2, *p3]), name="train")
ids, ones = np.zeros((steps, batch_size), "int32"), np.ones((steps, batch_size), floatX)
for _ in range(2):
    train(ids, ones, ids, ones)
