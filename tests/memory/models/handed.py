"""Device arrays handed about: from one function to the next, as arguments, as copies of shared variables, as their new values."""

import numpy as np
import theano
import theano.tensor as T
from theano.gpuarray.type import GpuArrayType

F = lambda *s: np.random.RandomState(0).uniform(-1, 1, s).astype("float32")
W, b = theano.shared(F(100, 100), "W"), theano.shared(F(100), "b")
x, gx = T.fmatrix("x"), GpuArrayType("float32", (False, False))("gx")
first = theano.function([x], T.tanh(T.dot(x, W) + b).transfer(None))
borrowed = theano.function([x], theano.Out((T.dot(x, W) + 1).transfer(None), borrow=True))
following = theano.function([gx], (T.dot(gx, W) * 2).transfer(None))
several = theano.function([gx], [T.dot(gx, W).sum(), gx.T.transfer(None), gx[::2].transfer(None)])
update = theano.function([gx], [], updates=[(W, W + T.dot(gx.T, gx))])
host = theano.function([x], T.dot(x, W).sum())

r = first(F(60, 100))
for _ in range(6):
    r = following(r)
host(F(60, 100))
kept = [first(F(n, 100)) for n in (60, 60, 20)]
more = [borrowed(F(n, 100)) for n in (60, 60, 20)]
for _ in range(40):
    r = first(F(90, 100))
host(F(60, 100))
views = several(kept[0])
views = several(kept[2])
del kept[0]
update(r), update(more[0])
copy = W.get_value(return_internal_type=True)
q = following(copy)
W.set_value(copy)
host(F(300, 100))
del copy, views
W.set_value(q[:100] if q.shape[0] > 100 else q)
host(F(300, 100))
