"""Indices, orders, types and axes; each line with a mark has another form behind it, which is planted by a test."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(11)
x = T.matrix("x", dtype="float64")
n = T.iscalar("n")
table = theano.shared(rng.normal(size=(6, 6)), name="table")
turned = x.dimshuffle(1, 0)  #: a swapped axis: turned = x.dimshuffle(0, 1)
both = T.dot(turned, x)
single = T.exp(-both / 10)  #: float32 for float64: single = T.exp(-both.astype("float32") / np.float32(10)).astype("float64")
summed = T.cumsum(single, axis=0)  #: cumsum axis: summed = T.cumsum(single, axis=1)
order = T.argsort(summed.sum(axis=1))  #: sort order: order = T.argsort(-summed.sum(axis=1))
rows = summed[order]
half = n // 2  #: integer division: half = T.cast(T.ceil(n / 2.0), "int32")
picked = T.take(table, [0, half], axis=0)  #: wrong index in take: picked = T.take(table, [1, half], axis=0)
mixed = rows[:2] * picked
centred = mixed - mixed.mean(axis=1, keepdims=True)  #: lost broadcast: centred = mixed - mixed.mean()
rounded = T.cast(centred, "int16")  #: other dtype cast: rounded = T.cast(centred, "int8")
folded = rounded.reshape((3, 4))  #: shape of a reshape: folded = rounded.reshape((4, 3))
scale = T.dscalar("scale")
out = folded.sum(axis=1) * scale
f = theano.function([x, n], [out, rounded, single.sum()], givens={scale: np.float64(3)})  #: other givens: f = theano.function([x, n], [out, rounded, single.sum()], givens={scale: np.float64(2)})
f(rng.normal(size=(6, 6)), 5)
