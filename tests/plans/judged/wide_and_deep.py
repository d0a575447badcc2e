"""Run with floatX=float64: weights of which nothing can be cut, and a large batch."""

import numpy as np
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

batch_size = 3000
x, y = T.matrix("x"), T.ivector("y")
params = [weights(1500, 2000), weights(2000, 1500), weights(1500, 10)]
h = T.tanh(T.dot(T.tanh(T.dot(x, params[0])), params[1]))
step = train([x, y], loss(T.nnet.softmax(T.dot(h, params[2])), y), params)
for _ in range(2):
    step(np.zeros((batch_size, 1500), floatX), labels(batch_size))
