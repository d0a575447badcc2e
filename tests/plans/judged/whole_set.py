"""Batches to train, as arguments, and a validation set on the device that is read whole."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

chunk = None
host_x, host_y = np.zeros((30000, 400), floatX), labels(30000)
valid_x = theano.shared(host_x[:chunk], name="valid_x", borrow=True)
valid_y = theano.shared(host_y[:chunk], name="valid_y", borrow=True)
x, y = T.matrix("x"), T.ivector("y")
W, V = weights(400, 300), weights(300, 10)
p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W)), V))
step = train([x, y], loss(p, y), [W, V])
error = theano.function([], T.neq(T.argmax(p, axis=1), y).mean(), givens={x: valid_x, y: valid_y}, name="error")
for _ in range(2):
    step(np.zeros((100, 400), floatX), labels(100))
for first in range(0, 30000, chunk or 30000):
    if chunk:
        valid_x.set_value(host_x[first : first + chunk], borrow=True)
        valid_y.set_value(host_y[first : first + chunk], borrow=True)
    error()
