"""Word vectors with a softmax over few classes, updated by the gradient of the whole table."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
W = theano.shared(np.zeros((200000, 100), floatX), name="W")
U = theano.shared(np.zeros((100, 1), floatX), name="U")
ids, y = T.imatrix("ids"), T.vector("y")
W_rows = W[ids]
p = T.nnet.sigmoid(T.dot(W_rows.mean(1), U)).flatten()
cost = T.nnet.binary_crossentropy(p, y).mean()
updates = [(v, v - np.asarray(0.05, floatX) * g) for v, g in zip([W, U], T.grad(cost, [W, U]))]
train = theano.function([ids, y], cost, updates=updates, name="train")
for _ in range(3):
    train(np.zeros((64, 400), "int32"), np.zeros(64, floatX))
