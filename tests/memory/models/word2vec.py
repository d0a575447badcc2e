"""Skip-gram with negative sampling: rows of two tables are updated by inc_subtensor, and a nearest-neighbour query sorts."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(7), MRG_RandomStreams(8)
V, D, K = 2000, 50, 5
W_in = theano.shared((rng.rand(V, D).astype("float32") - 0.5) / D, name="W_in")
W_out = theano.shared(np.zeros((V, D), "float32"), name="W_out")
center, context, noise = T.ivector("center"), T.ivector("context"), T.imatrix("noise")
lr = T.fscalar("lr")
u, v, n = W_in[center], W_out[context], W_out[noise]
positive = T.nnet.sigmoid((u * v).sum(axis=1))
negative = T.nnet.sigmoid(-T.batched_dot(n, u.dimshuffle(0, 1, "x"))[:, :, 0])
cost = -(T.log(positive).sum() + T.log(negative).sum())
gu, gv, gn = T.grad(cost, [u, v, n])
out = T.inc_subtensor(v, -lr * gv)
updates = [(W_in, T.inc_subtensor(u, -lr * gu)), (W_out, T.inc_subtensor(T.set_subtensor(v, v - lr * gv)[noise], -lr * gn))]
train = theano.function([center, context, noise, lr], cost, updates=updates)
dense = theano.function(
    [center, context, noise], cost, updates=[(p, p - np.float32(0.05) * g) for p, g in zip([W_in, W_out], T.grad(cost, [W_in, W_out]))]
)
norms = W_in / T.sqrt((W_in**2).sum(axis=1, keepdims=True) + 1e-8)
similar = theano.function([center], T.dot(norms[center], norms.T))
best = theano.function([center], T.argsort(T.dot(norms[center], norms.T), axis=1)[:, -10:])
I = lambda *s: rng.randint(0, V, s).astype("int32")
for b in (64, 64, 32):
    train(I(b), I(b), I(b, K), np.float32(0.1))
    dense(I(b), I(b), I(b, K))
similar(I(3))
best(I(4))
