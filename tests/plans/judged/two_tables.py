"""Skip-gram with negative samples: two large tables, the dense gradient of each."""

import numpy as np
import theano
import theano.tensor as T
from kit import floatX

V, D, neg, batch = 400000, 100, 10, 512
W_in = theano.shared(np.zeros((V, D), floatX), name="W_in")
W_out = theano.shared(np.zeros((V, D), floatX), name="W_out")
center, context = T.ivector("center"), T.imatrix("context")
h, o = W_in[center], W_out[context]
score = (o * h.dimshuffle(0, "x", 1)).sum(2)
sign = np.asarray([1] + [-1] * neg, floatX)
cost = T.nnet.softplus(-score * sign).sum(1).mean()
lr = np.asarray(0.025, floatX)
g_in, g_out = T.grad(cost, [W_in, W_out])
updates = [(W_in, W_in - lr * g_in), (W_out, W_out - lr * g_out)]
train = theano.function([center, context], cost, updates=updates, name="train")
for _ in range(2):
    train(np.zeros(batch, "int32"), np.zeros((batch, neg + 1), "int32"))
