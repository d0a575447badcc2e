"""Data on the device that is small, and a batch cut out of it that makes large intermediates."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, train, weights

batch_size = 8000
data_x = theano.shared(np.zeros((24000, 100), floatX), name="data_x", borrow=True)
data_y = theano.shared(np.zeros(24000, "int32"), name="data_y", borrow=True)
W, V = weights(100, 900), weights(900, 10)
x, y, i = T.matrix("x"), T.ivector("y"), T.lscalar("i")
part = slice(i * batch_size, (i + 1) * batch_size)
cost = loss(T.nnet.softmax(T.dot(T.tanh(T.dot(x, W)), V)), y)
step = train([i], cost, [W, V], givens={x: data_x[part], y: data_y[part]})
for k in range(3):
    step(k)
