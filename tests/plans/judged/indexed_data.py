"""A data set on the device, of which each call reads rows by their numbers."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, loss, train, weights

rows, batch_size = 40000, 256
chunk = None
host = np.zeros((rows, 1000), floatX)
data = theano.shared(host[:chunk], name="data", borrow=True)
W, V = weights(1000, 300), weights(300, 10)
y, numbers = T.ivector("y"), T.lvector("numbers")
hidden = T.tanh(T.dot(data[numbers], W))
step = train([numbers, y], loss(T.nnet.softmax(T.dot(hidden, V)), y), [W, V])
for k in range(2):
    if chunk:
        data.set_value(host[k * chunk : (k + 1) * chunk], borrow=True)
    step(np.arange(batch_size), np.zeros(batch_size, "int32"))
