"""Sums of products of broadcast arrays, one a function; each has its arrays as arguments."""

import numpy as np
import theano
import theano.tensor as T

A, B = T.ftensor3("A"), T.ftensor3("B")
x, y, z = (T.fmatrix(name) for name in "xyz")
u, v, w = (T.fvector(name) for name in "uvw")


class Layer(object):
    def __init__(self, W):
        self.W = W

    def jacobian(self, g):
        return self.W.dimshuffle("x", 0, 1) * g.dimshuffle(0, "x", 1)


of_batches = (A[:, None, :, :] * B).sum(2)
of_all = T.sum(A[:, None, :, :] * B[None, :, :, :], axis=[2, 3])
of_columns = (x[:, :, None] * z[None, :, :]).sum(axis=1)
distances = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
weighed = (x[:, None, :] * y[None, :, :] * v).sum(2)
rows_first = (x[:, None, :] * y[None, :, :]).sum(axis=(1, 2))
turned = ((y[:, None, :] - x[None, :, :]) ** 2).sum(2)
squares = T.sqr(Layer(y).jacobian(x)).sum(axis=(1, 2))
FORMS = {
    "all_distances": ([x, y], ((x[:, None, :] - y[None, :, :]) ** 2).sum()),
    "means": ([x, y], ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=(1, 2))),
    "outer": ([u, w], (u[:, None] * T.exp(w)[None, :]).sum()),
    "repeated": ([u, w], (T.alloc(T.tanh(w), u.shape[0], w.shape[0]) * u[:, None]).sum()),
    "ones": ([w], (T.ones((20000, w.shape[0])) * T.exp(w)).sum()),
    "of_batches": ([A, B], of_batches),
    "of_all": ([A, B], of_all),
    "of_columns": ([x, z], of_columns),
    "distances": ([x, y], distances),
    "weighed": ([x, y, v], weighed),
    "rows_first": ([x, y], rows_first),
    "divided": ([x, y], [turned, T.grad(T.log(1 + turned).sum(), y)]),
    "squares": ([x, y], [squares, T.grad(squares.sum(), y)]),
}
SIZES = {"A": (90, 40, 30), "B": (80, 40, 30), "x": (300, 60), "y": (200, 60), "z": (60, 200), "u": (20000,), "v": (60,), "w": (500,)}

if __name__ == "__main__":
    for name, (given, made) in sorted(FORMS.items()):
        f = theano.function(given, made, name=name)
        f(*[np.zeros(SIZES[a.name], "float32") for a in given])
