"""A data set on the device, of which each call reads a slice."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, train, weights

rows, batch_size = 60000, 500
chunk = None
host_x, host_y = np.zeros((rows, 784), floatX), np.zeros(rows, "int32")
data_x = theano.shared(host_x[:chunk], name="data_x", borrow=True)
data_y = theano.shared(host_y[:chunk], name="data_y", borrow=True)
W, b = weights(784, 10), weights(10)
x, y, i = T.matrix("x"), T.ivector("y"), T.lscalar("i")
part = slice(i * batch_size, (i + 1) * batch_size)
step = train([i], loss(T.nnet.softmax(T.dot(x, W) + b), y), [W, b], givens={x: data_x[part], y: data_y[part]})
for k in range(2):
    if chunk:
        data_x.set_value(host_x[k * chunk : (k + 1) * chunk], borrow=True)
        data_y.set_value(host_y[k * chunk : (k + 1) * chunk], borrow=True)
    for index in range(3):
        step(index)
