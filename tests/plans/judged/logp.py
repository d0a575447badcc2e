"""Log posterior of a hierarchical model and its gradient, over all observations at once, as a sampler calls it."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(9)
n, groups, k = 100000, 50, 30
chunk = None
host = [rng.randn(n, k).astype(floatX), rng.randint(0, groups, n).astype("int32"), rng.randn(n).astype(floatX)]
X, group, y = (theano.shared(a[:chunk], name=name, borrow=True) for a, name in zip(host, ("X", "group", "y")))
q = T.vector("q")
mu, tau, beta = q[:k], T.exp(q[k]), q[k + 1 :].reshape((groups, k))
eta = (X * beta[group]).sum(axis=1)
logp = -0.5 * T.sqr(y - eta).sum() - 0.5 * tau * T.sqr(beta - mu).sum() + groups * k * T.log(tau) / 2
logp_dlogp = theano.function([q], [logp, T.grad(logp, q)], name="logp_dlogp")
for _ in range(3):
    for first in range(0, n, chunk or n):
        for v, a in zip((X, group, y), host):
            if chunk:
                v.set_value(a[first : first + chunk], borrow=True)
        logp_dlogp(np.zeros(k + 1 + groups * k, floatX))
