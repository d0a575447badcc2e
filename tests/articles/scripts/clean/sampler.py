"""Gradient of a log posterior, called many times with new parameters."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
X = theano.shared(np.random.randn(5000, 20).astype(floatX), name="X")
y = theano.shared(np.random.randn(5000).astype(floatX), name="y")
q = T.vector("q")
logp = -0.5 * T.sqr(y - T.dot(X, q)).sum() - 0.5 * T.sqr(q).sum()
f = theano.function([q], [logp, T.grad(logp, q)])
point = np.zeros(20, floatX)
for _ in range(5):
    value, grad = f(point)
    point = (point + 1e-4 * np.asarray(grad)).astype(floatX)
print(value)
