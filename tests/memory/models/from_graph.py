"""OpFromGraph: the same Op used twice, its gradient, one that is written out inline, and functions that share them."""

import numpy as np
import theano
import theano.tensor as T
from theano.compile.builders import OpFromGraph

F = lambda *s: np.random.RandomState(0).uniform(-1, 1, s).astype("float32")
a, w, c = T.fmatrix("a"), T.fmatrix("w"), T.fvector("c")
layer = OpFromGraph([a, w, c], [T.tanh(T.dot(a, w) + c)])
inline = OpFromGraph([a, w, c], [T.nnet.sigmoid(T.dot(a, w) + c), T.dot(a, w).sum(0) * c], inline=True)
W, b = theano.shared(F(50, 70), "W"), theano.shared(F(70), "b")
V, d = theano.shared(F(70, 30), "V"), theano.shared(F(30), "d")
x, y = T.fmatrix("x"), T.fmatrix("y")
h = layer(x, W, b)
out, sums = inline(h, V, d)
cost = T.sqr(out - y).mean() + 1e-4 * T.sqr(sums).mean()
train = theano.function([x, y], cost, updates=[(p, p - 0.1 * g) for p, g in zip([W, b, V, d], T.grad(cost, [W, b, V, d]))])
twice = theano.function([x], T.sqr(layer(layer(x, W, b), W.T, b[:50])).sum())
back = theano.function([x], T.grad(T.sqr(h).sum(), W))
for n in (40, 40, 11, 60):
    train(F(n, 50), F(n, 30))
    twice(F(n, 50))
    back(F(n, 50))
