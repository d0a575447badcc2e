"""Data on the device that is too large for the card, and a batch whose intermediates are too."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, train, weights

chunk = None
batch_size = 4000
rows = 40000
host = np.zeros((rows, 500), floatX)
data = theano.shared(host[:chunk], name="data", borrow=True)
W, V = weights(500, 2000), weights(2000, 500)
i = T.lscalar("i")
x = data[i * batch_size : (i + 1) * batch_size]
step = train([i], T.sqr(T.dot(T.tanh(T.dot(x, W)), V) - x).mean(), [W, V])
for k in range(2):
    if chunk:
        data.set_value(host[k * chunk : (k + 1) * chunk], borrow=True)
    step(0)
