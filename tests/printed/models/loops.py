"""Loops and updates of which a text leaves much to be told, in the form of models.py."""

import numpy as np
from families import rand
from models import MODELS, model, scanned, sigmoid, weights

__all__ = ["MODELS"]


def jacobian(k, y, x):
    """The derivatives of each entry of `y`."""
    return k.root.gradient.jacobian(y, x)


@model
def last_state(k):
    x = k.fvector("x")
    return [x], [scanned(k, lambda v: v * np.float32(2), outputs_info=[x], n_steps=4)[-1]], [rand(25)], []


@model
def written_state(k):
    x, n = k.fvector("x"), k.lscalar("n")

    def step(i, b):
        return k.set_subtensor(b[i], b[i - 1] * np.float32(0.5) + x[i])

    made = scanned(k, step, sequences=[k.arange(1, n)], outputs_info=[k.zeros((n,), dtype="float32")])
    return [x, n], [made[-1]], [rand(8), 8], []


@model
def two_states(k):
    x, y = k.fvector("x"), k.fvector("y")
    a, b = scanned(k, lambda a, b: (a + b, a * b), outputs_info=[x, y], n_steps=5)
    return [x, y], [a[-1], b[-1]], [rand(25), rand(25)], []


@model
def shared_inside(k):
    x, s = k.fvector("x"), weights(k, "S", 40)
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    made, updates = scan(lambda a: (a * s.sum(), {s: s * np.float32(1.1) + a}), sequences=[x])
    return [x], [made], [rand(50)], list(updates.items())


@model
def pairs_of_rows(k):
    x = k.fmatrix("x")

    def one(a):
        return scanned(k, lambda b, a: k.exp(-((a - b) ** 2).sum()), sequences=[x], non_sequences=[a])

    made = scanned(k, one, sequences=[x])
    return [x], [made, made.sum(axis=0)], [rand(5, 3)], []


@model
def each_against_all(k):
    x = k.fvector("x")
    return [x], [scanned(k, lambda a: a - k.exp(x), sequences=[x])], [rand(5)], []


@model
def gradient_of_one(k):
    x, w, b = k.fmatrix("x"), weights(k, "W", 4, 5), weights(k, "b", 5)
    made = scanned(k, lambda a, w, b: sigmoid(k, k.dot(a, w) + b), sequences=[x], non_sequences=[w, b], strict=True)
    return [x], [made.max(axis=0), k.root.gradient.grad(made.sum(), b)], [rand(7, 4)], []


@model
def jacobian_of_a_loop(k):
    x, w = k.fvector("x"), weights(k, "W", 3, 3)
    made = scanned(k, lambda h: k.tanh(k.dot(h, w)), outputs_info=[x], n_steps=4)
    return [x], [jacobian(k, made[-1], x)], [rand(3)], []


@model
def hessian_of_products(k):
    x = k.fvector("x")
    return [x], [jacobian(k, k.root.gradient.grad((x[0] * x[1:]).sum(), x), x)], [rand(40)], []


@model
def mean_of_weights(k):
    e, w = weights(k, "E", 10, 10), weights(k, "W", 10, 10)
    return [], [w.sum()], [], [(e, w), (w, w * np.float32(0.5) + e)]


@model
def share_of_the_sum(k):
    x = k.fmatrix("x")
    return [x], [x.sum(axis=0) / x.sum()], [rand(5, 50)], []


@model
def clipped_steps(k):
    x, w, v = k.fmatrix("x"), weights(k, "W", 6, 5), weights(k, "V", 6, 5)
    g = k.root.gradient.grad((k.dot(x, w) ** 2).sum(), w)
    g = g * k.minimum(np.float32(1), np.float32(5) / k.sqrt((g**2).sum()))
    new = np.float32(0.9) * v - np.float32(0.1) * g
    return [x], [k.sqrt((g**2).sum())], [rand(4, 6)], [(v, new), (w, w + np.float32(0.9) * new - np.float32(0.1) * g)]


@model
def picked_products(k):
    x, y, i, j = k.fmatrix("x"), k.fmatrix("y"), k.lvector("i"), k.lvector("j")
    return [x, y, i, j], [k.exp(x)[i] * k.exp(y)[j]], [rand(20, 10), rand(20, 10), np.arange(12), np.arange(12)], []


@model
def penalised(k):
    x, b = k.fmatrix("x"), k.fvector("b")
    cost = (b**2).sum() + (k.dot(x, b) ** 2).sum()
    return [x, b], [cost, k.root.gradient.grad(cost, b)], [rand(30, 8), rand(8)], []
