"""Matrix factorisation, a GMM's EM, and k-means: advanced indexing, logsumexp, tensordot, set_value between the iterations."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(6)
f32 = lambda *s: rng.randn(*s).astype("float32")
U, V, bu = theano.shared(f32(300, 20)), theano.shared(f32(200, 20)), theano.shared(np.zeros(300, "float32"))
i, j, r = T.ivector(), T.ivector(), T.fvector()
pred = (U[i] * V[j]).sum(1) + bu[i]
loss = ((pred - r) ** 2).mean() + 0.01 * ((U**2).sum() + (V**2).sum())
sgd = theano.function([i, j, r], loss, updates=[(p, p - 0.05 * g) for p, g in zip([U, V, bu], T.grad(loss, [U, V, bu]))])
scores = theano.function([], T.dot(U, V.T) + bu[:, None])
for n in (100, 100, 40):
    sgd(rng.randint(0, 300, n).astype("int32"), rng.randint(0, 200, n).astype("int32"), f32(n))
scores()

X = theano.shared(f32(500, 6))
mu, var, pi = theano.shared(f32(4, 6)), theano.shared(np.ones((4, 6), "float32")), theano.shared(np.full(4, 0.25, "float32"))
d = X[:, None, :] - mu[None, :, :]
logp = -0.5 * ((d**2) / var + T.log(2 * np.pi * var)).sum(2) + T.log(pi)
top = logp.max(axis=1, keepdims=True)
lse = top + T.log(T.exp(logp - top).sum(axis=1, keepdims=True))
resp = T.exp(logp - lse)
nk = resp.sum(0)
new_mu = T.dot(resp.T, X) / nk[:, None]

new_var = (resp[:, :, None] * (X[:, None, :] - new_mu[None, :, :]) ** 2).sum(0) / nk[:, None] + 1e-6
em = theano.function([], lse.mean(), updates=[(mu, new_mu), (var, new_var), (pi, nk / T.cast(X.shape[0], "float32"))])
assign = theano.function([], T.argmin(((X[:, None, :] - mu[None, :, :]) ** 2).sum(2), axis=1))
for _ in range(3):
    em()
assign()
X.set_value(f32(800, 6))
em()
assign()
X.set_value(f32(200, 6))
em()
