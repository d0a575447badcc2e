"""Gradient descent over the whole data set at once, the data shared and read by the function as it is."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(14)
chunk = None
N = 20000
host_D, host_T = rng.randn(N, 300).astype(floatX), rng.randint(0, 2, N).astype(floatX)
D = theano.shared(host_D[:chunk], name="D", borrow=True)
target = theano.shared(host_T[:chunk], name="target", borrow=True)
w1 = theano.shared((rng.randn(300, 600) * 0.01).astype(floatX), name="w1")
w2 = theano.shared((rng.randn(600) * 0.01).astype(floatX), name="w2")
p = T.nnet.sigmoid(T.dot(T.tanh(T.dot(D, w1)), w2))
cost = T.nnet.binary_crossentropy(p, target).mean() + 0.01 * (w1**2).sum()
gw1, gw2 = T.grad(cost, [w1, w2])
train = theano.function([], cost, updates=((w1, w1 - 0.1 * gw1), (w2, w2 - 0.1 * gw2)), name="train")
for _ in range(3):
    for first in range(0, N, chunk or N):
        if chunk:
            D.set_value(host_D[first : first + chunk], borrow=True)
            target.set_value(host_T[first : first + chunk], borrow=True)
        train()
