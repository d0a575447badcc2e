"""Distances and products of all rows with all centres, each as a broadcast and as a dot; a loss with a gradient; another distance."""

import numpy as np
import theano
import theano.tensor as T

x = T.fmatrix("x")
C = theano.shared(np.zeros((300, 64), "float32"), "C")
d = ((x[:, None, :] - C[None, :, :]) ** 2).sum(axis=2)
p = (x[:, None, :] * C[None, :, :]).sum(axis=2)
cost = d.min(axis=1).mean()
dotted = ((x**2).sum(1)[:, None] + (C**2).sum(1)[None, :] - 2 * T.dot(x, C.T)).min(axis=1).mean()
functions = [
    theano.function([x], d, name="distances"),
    theano.function([x], (x**2).sum(1)[:, None] + (C**2).sum(1)[None, :] - 2 * T.dot(x, C.T), name="distances as a dot"),
    theano.function([x], p, name="products"),
    theano.function([x], T.dot(x, C.T), name="products as a dot"),
    theano.function([x], abs(x[:, None, :] - C[None, :, :]).sum(axis=2), name="other"),
    theano.function([x], cost, updates=[(C, C - np.float32(0.1) * T.grad(cost, C))], name="train"),
    theano.function([x], dotted, updates=[(C, C - np.float32(0.1) * T.grad(dotted, C))], name="train as a dot"),
    theano.function([x], [d.sum(), x[:, None, :] - C[None, :, :]], name="kept"),
]
for each in functions:
    each(np.zeros((2000, 64), "float32"))
