"""Word vectors trained by Adagrad on the whole table."""

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
states = [theano.shared(np.zeros_like(v.get_value())) for v in (W, U)]
lr = np.asarray(0.05, floatX)
updates = []
for v, a, g in zip([W, U], states, T.grad(cost, [W, U])):
    more = a + g * g
    updates += [(a, more), (v, v - lr * g / T.sqrt(more + np.asarray(1e-6, floatX)))]
train = theano.function([ids, y], cost, updates=updates, name="train")
for _ in range(3):
    train(np.arange(64 * 400, dtype="int32").reshape(64, 400), np.zeros(64, floatX))
