"""A recurrent net by scan; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(7)
x = T.matrix("x", dtype="float64")
U = theano.shared(rng.normal(size=(3, 4)), name="U")
V = theano.shared(rng.normal(size=(4, 4)), name="V")
h0 = T.zeros((4,), dtype="float64")  #: wrong initial state of scan: h0 = T.ones((4,), dtype="float64")


def step(row, before):
    """One step."""
    gate = T.nnet.sigmoid(T.dot(row, U))
    new = T.tanh(T.dot(before, V) + gate)  #: transposed dot: new = T.tanh(T.dot(V, before) + gate)
    return gate * new + (1 - gate) * before  #: wrong sign in a step: return gate * new - (1 - gate) * before


states, _ = theano.scan(step, sequences=x, outputs_info=h0)  #: scan backwards: states, _ = theano.scan(step, sequences=x, outputs_info=h0, go_backwards=True)
powers, _ = theano.scan(lambda v: v * 1.5, outputs_info=states[-1], n_steps=4)  #: truncated n_steps: powers, _ = theano.scan(lambda v: v * 1.5, outputs_info=states[-1], n_steps=3)
last = powers[-1]
target = states[1:] - states[:-1]  #: off-by-one slice: target = states[1:] - states[1:]
cost = (target**2).mean() + abs(last).sum()
g = T.grad(cost, [U, V])
train = theano.function([x], [last, cost], updates=[(U, U - 0.1 * g[0]), (V, V - 0.1 * g[1])])
for n in range(2):
    train(rng.normal(size=(5, 3)))
