"""A net that trains in batches and validates in larger ones, neither of which fits."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

batch_size = 3000
valid_size = 9000
x, y = T.matrix("x"), T.ivector("y")
params = [weights(500, 1500), weights(1500, 1500), weights(1500, 10)]
h = x
for W in params[:-1]:
    h = T.tanh(T.dot(h, W))
p = T.nnet.softmax(T.dot(h, params[-1]))
f = train([x, y], loss(p, y), params)
g = theano.function([x], p.argmax(1), name="validate")
for _ in range(2):
    f(np.zeros((batch_size, 500), floatX), labels(batch_size))
    g(np.zeros((valid_size, 500), floatX))
