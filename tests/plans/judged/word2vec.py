"""Skip-gram with negative samples, updated row by row."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(4)
vocabulary, dim, negatives = 30000, 200, 20
batch_size = 4000
W_in = theano.shared((rng.rand(vocabulary, dim) - 0.5).astype(floatX) / dim, name="W_in")
W_out = theano.shared(np.zeros((vocabulary, dim), floatX), name="W_out")
center, context, negative = T.ivector("center"), T.ivector("context"), T.imatrix("negative")
u, v, n = W_in[center], W_out[context], W_out[negative]
good = T.log(T.nnet.sigmoid((u * v).sum(axis=1)))
bad = T.log(T.nnet.sigmoid(-(u[:, None, :] * n).sum(axis=2))).sum(axis=1)
cost = -(good + bad).mean()
gu, gv, gn = T.grad(cost, [u, v, n])
lr = T.scalar("lr")
new_out = T.inc_subtensor(v, -lr * gv)
train = theano.function(
    [center, context, negative, lr],
    cost,
    name="train",
    updates=[
        (W_in, T.inc_subtensor(u, -lr * gu)),
        (W_out, T.inc_subtensor(new_out[negative], -lr * gn)),
    ],
)
for _ in range(3):
    words = rng.randint(0, vocabulary, batch_size).astype("int32")
    train(words, words, rng.randint(0, vocabulary, (batch_size, negatives)).astype("int32"), np.asarray(0.02, floatX))
