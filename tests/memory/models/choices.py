"""IfElse on numbers that may come from what was computed: in a row, nested, alone in one of several calls, and inside of a scan."""

import numpy as np
import theano
import theano.tensor as T
from theano.ifelse import ifelse

rng = np.random.RandomState(0)
F = lambda *s: rng.uniform(-1, 1, s).astype("float32")
x, lr, cs = T.fmatrix("x"), T.fscalar("lr"), T.ivector("cs")
A, B = [theano.shared(F(200, 200), name) for name in "AB"]
wide = theano.shared(F(200, 3000), "wide")

first = theano.function([x], T.dot(x, A).sum())
nested = theano.function(
    [lr, x], ifelse(lr > 0.5, x * 2, ifelse(lr > 0.2, T.tanh(T.dot(T.dot(x, wide) + 1, wide.T)), T.dot(T.dot(x, A) * 3, B)))
)
update = theano.function([lr, x], updates=[(A, ifelse(lr > 0.5, T.dot(x.T, x), T.dot(A, B) - lr * A)), (B, B * lr)])


def step(h, c):
    return ifelse(c > 0.5, T.tanh(T.dot(T.dot(h, wide), wide.T)), T.dot(h, A))


def by_turns(c, h):
    return ifelse(T.gt(c, 0), T.tanh(T.dot(T.dot(h, wide), wide.T)), T.dot(T.dot(h, A) * 3, B))


each = theano.function([cs, x], theano.scan(by_turns, sequences=[cs], outputs_info=[x])[0][-1].sum())
looped = theano.function([lr, x], theano.scan(step, outputs_info=[x], non_sequences=[lr], n_steps=5)[0][-1].sum())

held = [first(F(300, 200))]
for value in (0.9, 0.3, 0.1, 0.3, 0.9):
    nested(np.float32(value), F(400, 200))
for value in (0.9, 0.1, 0.9):
    update(np.float32(value), F(500, 200))
for value in (0.1, 0.9):
    looped(np.float32(value), F(100, 200))
for values in ([0, 1, 0, 0], [1, 1, 0, 0, 1], [0, 0]):
    each(np.array(values, "int32"), F(120, 200))
first(F(600, 200))
