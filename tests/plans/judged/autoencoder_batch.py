"""An autoencoder with tied weights and noise of batch size in a shared variable."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX, train, weights

batch_size = 5000
x = T.matrix("x")
noise = theano.shared(np.zeros((batch_size, 900), floatX), name="noise")
W = weights(900, 700)
code = T.nnet.sigmoid(T.dot(x * noise, W))
cost = T.sqr(x - T.dot(code, W.T)).mean()
step = train([x], cost, [W])
for _ in range(2):
    step(np.zeros((batch_size, 900), floatX))
