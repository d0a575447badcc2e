"""Pictures on the device, divided by 255, of which each call reads a slice."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, labels, loss, train, weights

as_bytes = False
rows, batch_size = 40000, 500
host_x = np.resize(np.arange(256, dtype=floatX), (rows, 784)) / np.float32(255)
x, i = T.matrix("x"), T.lscalar("i")
if as_bytes:
    data_x = theano.shared((host_x * 255).round().astype("uint8"), name="data_x", borrow=True)
    part = T.cast(data_x[i * batch_size : (i + 1) * batch_size], "float32") / np.float32(255)
else:
    data_x = theano.shared(host_x, name="data_x", borrow=True)
    part = data_x[i * batch_size : (i + 1) * batch_size]
data_y = theano.shared(labels(rows), name="data_y", borrow=True)
W, b = weights(784, 10), weights(10)
y = T.ivector("y")
given = {x: part, y: data_y[i * batch_size : (i + 1) * batch_size]}
step = train([i], loss(T.nnet.softmax(T.dot(x, W) + b), y), [W, b], givens=given)
for k in range(3):
    step(k)
