"""One layer whose weights alone do not fit."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX

n = 6000
chunk = None
host_W, host_b = np.zeros((n, n), floatX), np.zeros(n, floatX)
W = theano.shared(host_W[:, :chunk], name="W", borrow=True)
b = theano.shared(host_b[:chunk], name="b", borrow=True)
x = T.matrix("x")
layer = theano.function([x], T.tanh(T.dot(x, W) + b), name="layer")
for first in range(0, n, chunk or n):
    first = min(first, n - (chunk or n))
    if chunk:
        W.set_value(host_W[:, first : first + chunk], borrow=True)
        b.set_value(host_b[first : first + chunk], borrow=True)
    layer(np.zeros((16, n), floatX))
