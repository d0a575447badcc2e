"""Matrix factorisation with sparse updates of the rows that a batch has."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(0)
U = theano.shared((rng.randn(5000, 32) * 0.1).astype(floatX), name="U")
V = theano.shared((rng.randn(8000, 32) * 0.1).astype(floatX), name="V")
i, j, r = T.ivector("i"), T.ivector("j"), T.vector("r")
u, v = U[i], V[j]
cost = T.sqr((u * v).sum(axis=1) - r).mean()
gu, gv = T.grad(cost, [u, v])
lr = np.asarray(0.05, floatX)
fit = theano.function([i, j, r], cost, updates=[(U, T.inc_subtensor(u, -lr * gu)), (V, T.inc_subtensor(v, -lr * gv))])
for _ in range(3):
    print(fit(rng.randint(0, 5000, 1000).astype("int32"), rng.randint(0, 8000, 1000).astype("int32"), rng.rand(1000).astype(floatX)))
