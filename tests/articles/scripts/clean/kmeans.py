"""K-means with distances as a dot."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
data = np.random.rand(20000, 50).astype(floatX)
X = theano.shared(data, name="X", borrow=True)
C = theano.shared(data[:64].copy(), name="C")
d = (X**2).sum(axis=1)[:, None] + (C**2).sum(axis=1)[None, :] - 2 * T.dot(X, C.T)
near = T.eq(d, d.min(axis=1, keepdims=True)).astype(floatX)
new = T.dot(near.T, X) / near.sum(axis=0)[:, None]
update = theano.function([], d.min(axis=1).mean(), updates=[(C, new)])
for _ in range(4):
    print(update())
