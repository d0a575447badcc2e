"""Indexing by several arrays, slices and new axes, and what is done with the results."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
F = lambda *s: rng.uniform(0.1, 1, s).astype("float32")
W = theano.shared(F(60, 30))
t, i, j, m = T.ftensor3("t"), T.ivector("i"), T.lvector("j"), T.fmatrix("m")
x = T.ftensor4("x")
cases = [
    ([t, i, j], t[:, i, j]),
    ([t, i, j], t[:, i, j].reshape((-1,))),
    ([t, i, j], T.dot(t[:, i, j].T, T.zeros((t.shape[0], 8)))),
    ([t, i, j], t[i, :, j].reshape((-1,)) + 1),
    ([t, i, j], t[i, 0:9:2, j]),
    ([t, i, j], t[0:9:2, i, j]),
    ([t, i, j], t[1:5, i, j].sum(0)),
    ([t, i, j], t[i, None, j]),
    ([t, i, j], t[:, i, j].dimshuffle(0, "x", 1) * 2),
    ([t, i, j], T.inc_subtensor(t[i, :, j], 1.0)),
    ([t, i, j], T.inc_subtensor(t[:, i, j], 1.0)),
    ([t, i, j], T.set_subtensor(t[i, j], t[j, i])),
    ([t, i, j], T.grad((t[i, :, j] ** 2).sum(), t)),
    ([t, i, j], T.grad((t[:, i, j] ** 2).sum(), t)),
    ([t, i, j], T.grad((t[i, 2:9, j] ** 2).sum(), t)),
    ([t, i, j], T.grad((t[i, j] ** 2).sum(), t)),
    ([t, i, j], T.grad((t[i, :, j] ** 2).sum(), t).sum(0)),
    ([t, i, j], T.dot(T.grad((t[:, i, j] ** 2).sum(), t).reshape((-1, t.shape[2])), W[: t.shape[2]])),
    ([x, i, j], x[:, :, i, j]),
    ([x, i, j], T.grad((x[:, :, i, j] ** 2).sum(), x)),
    ([x, i, j], x[:, i, :, j].flatten(2)),
    ([x, i, j], T.grad((x[:, i, j] ** 2).sum(), x)),
    ([m, i], m.T[:, i]),
    ([m, i, j], m.T[i, j]),
    ([m, i, j], T.grad((m.T[i, j] ** 2).sum(), m)),
    ([m, i], m[::2][:, i].T.reshape((-1,))),
    ([t, i], t[:, i].reshape((t.shape[0], -1))),
    ([t, i], T.grad((t[:, :, i] ** 2).sum(), t)),
    ([t, i, j], t[i.dimshuffle(0, "x"), j.dimshuffle("x", 0)]),
    ([t, i, j], t[0, i, j]),
    ([t, i, j], t[i, 0, j]),
    ([t, i, j], T.grad((t[i, 0, j] ** 2).sum(), t)),
]
functions = []
for inputs, out in cases:
    fn = theano.function(inputs, out, on_unused_input="ignore")
    functions.append(fn)
    for k, n in ((10, 6), (10, 6), (14, 9)):
        value = {
            t: F(k, 2 * k, 3 * k),
            x: F(k, k, k + 1, 2 * k),
            m: F(2 * k, k),
            i: rng.randint(0, k, n).astype("int32"),
            j: rng.randint(0, k, n),
        }
        fn(*[value[v] for v in inputs])
