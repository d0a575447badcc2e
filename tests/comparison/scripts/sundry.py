"""Branches, bounds, writes into parts and lags; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(19)
x = T.matrix("x", dtype="float64")
leaky = T.switch(x > 0, x, 0.1 * x)  #: swapped branches: leaky = T.switch(x > 0, 0.1 * x, x)
high = T.ge(x, 0.5)  #: strict comparison: high = T.gt(x, 0.5)
bounded = T.clip(leaky, -0.05, 1.0)  #: other bound of a clip: bounded = T.clip(leaky, -0.05, 0.3)
added = T.inc_subtensor(bounded[1:3], high[:2] * 0.5)  #: set for inc: added = T.set_subtensor(bounded[1:3], high[:2] * 0.5)
diagonal = T.diagonal(added, 1)  #: other offset of a diagonal: diagonal = T.diagonal(added, -1)
turned = T.roll(added, 1, axis=0)  #: other shift: turned = T.roll(added, 2, axis=0)
joined = T.concatenate([turned, added], axis=0)  #: order of a join: joined = T.concatenate([added, turned], axis=0)
spread = joined.var(axis=1)  #: std for var: spread = joined.std(axis=1)
product = T.tensordot(joined, added, axes=[[1], [1]])  #: other axes of tensordot: product = T.tensordot(joined, added, axes=[[1], [0]])
start = T.stack([spread[0], spread[1]])
lagged, _ = theano.scan(
    lambda given, two, one: given + 0.5 * one - 0.25 * two,  #: other lag: lambda given, two, one: given + 0.5 * two - 0.25 * one,
    sequences=spread, outputs_info=dict(initial=start, taps=[-2, -1]),
)  # fmt: skip
f = theano.function([x], [product.sum(axis=0), lagged, diagonal])
values = rng.normal(size=(4, 4))
values[0, 1] = values[1, 2] = 0.5
f(values)
