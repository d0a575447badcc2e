"""Smaller functions, each with something of its own."""

import numpy as np
import theano
import theano.tensor as T
from kit import *  # noqa: F403


@function
def matrix_factors():
    i, j, r = T.ivector("i"), T.ivector("j"), T.fvector("r")
    U, V = K(3000, 40), K(2000, 40)
    error = (U[i] * V[j]).sum(axis=1) - r
    cost = (error**2).mean() + np.float32(0.01) * ((U**2).sum() + (V**2).sum())
    return [i, j, r], cost, sgd(cost, [U, V]), [I(1000, 3000), I(1000, 2000), F(1000)]


@function
def pairwise_distances():
    x, y = T.fmatrix("x"), T.fmatrix("y")
    d = (x**2).sum(1).dimshuffle(0, "x") + (y**2).sum(1).dimshuffle("x", 0) - 2 * T.dot(x, y.T)
    return [x, y], [T.sqrt(T.maximum(d, 0)), d.argmin(axis=1)], [], [F(500, 60), F(400, 60)]


@function
def gaussian_kernel():
    x = T.fmatrix("x")
    d = ((x.dimshuffle(0, "x", 1) - x.dimshuffle("x", 0, 1)) ** 2).sum(axis=2)
    return [x], T.exp(-d / 2), [], [F(200, 30)]


@function
def style_gram():
    x = T.ftensor4("x")
    a = x.flatten(3)
    g = T.tensordot(a, a, axes=[[0, 2], [0, 2]])
    cost = (g**2).mean()
    return [x], [cost, T.grad(cost, x)], [], [F(2, 32, 28, 28)]


@function
def hessian_vector():
    x, v = T.fmatrix("x"), T.fvector("v")
    w = K(300)
    cost = T.nnet.sigmoid(T.dot(x, w)).sum()
    return [x, v], T.grad((T.grad(cost, w) * v).sum(), w), [], [F(1000, 300), F(300)]


@function
def ensemble():
    x = T.fmatrix("x")
    outs = [dense(x, 200, 300, 50)[0] for _ in range(4)]
    return [x], [T.stack(outs).mean(axis=0), T.concatenate(outs, axis=1)], [], [F(300, 200)]


@function
def highway():
    x = T.fmatrix("x")
    params, h = [], x
    for _ in range(5):
        W, V = K(256, 256), K(256, 256)
        params += [W, V]
        t = T.nnet.sigmoid(T.dot(h, V))
        h = t * T.tanh(T.dot(h, W)) + (1 - t) * h
    cost = (h**2).mean()
    return [x], cost, sgd(cost, params), [F(256, 256)]


@function
def maxout():
    x, y = T.fmatrix("x"), T.ivector("y")
    W, V = K(300, 800), K(200, 10)
    h = T.dot(x, W).reshape((x.shape[0], 200, 4)).max(axis=2)
    cost = loss(T.dot(h, V), y)
    return [x, y], cost, sgd(cost, [W, V]), [F(250, 300), I(250, 10)]


@function
def subtensors():
    x = T.fmatrix("x")
    y = T.set_subtensor(x[:, :100], T.exp(x[:, 100:200]))
    z = T.inc_subtensor(y[::2], np.float32(1))
    return [x], [z.sum(axis=0), T.grad((x[10:, ::3] ** 2).sum(), x)], [], [F(500, 300)]


@function
def gathered():
    x, i, j = T.ftensor3("x"), T.ivector("i"), T.ivector("j")
    return [x, i, j], [x[i, :, j] * 2, x[:, i] + 1, T.grad((x[i, j] ** 2).sum(), x)], [], [F(40, 50, 60), I(30, 40), I(30, 40)]


@function
def cumulative():
    x = T.fmatrix("x")
    return [x], [T.cumsum(x, axis=1) * 2, T.extra_ops.cumprod(x, axis=0).sum()], [], [F(300, 400)]


@function
def integers():
    i = T.imatrix("i")
    return [i], [(i * 2 + 1).sum(axis=0), T.eq(i, 3).sum()], [], [I(200 * 300, 9).reshape(200, 300)]


@function
def polynomial():
    x, y = T.fmatrix("x"), T.fmatrix("y")
    z = sum(np.float32(k + 1) * x**k * T.sin(y * k) for k in range(6))
    return [x, y], [z, T.grad(z.sum(), [x, y])[1]], [], [F(500, 400), F(500, 400)]


@function
def many_inputs():
    xs = [T.fmatrix("x%d" % k) for k in range(12)]
    z = T.tanh(sum(T.exp(x) * (k + 1) for k, x in enumerate(xs)))
    return xs, z, [], [F(200, 300) for _ in xs]


@function
def doubles():
    x = T.dmatrix("x")
    W = theano.shared(F(300, 200).astype("float64"))
    cost = (T.tanh(T.dot(x, W)) ** 2).mean()
    return [x], cost, [(W, W - 0.1 * T.grad(cost, W))], [F(400, 300).astype("float64")]


@function
def returned_gradients():
    x, y = T.fmatrix("x"), T.ivector("y")
    out, params = dense(x, 784, 500, 10)
    cost = loss(out, y)
    return [x, y], [cost] + T.grad(cost, params), [], [F(200, 784), I(200, 10)]


@function
def swapped():
    a, b = K(400, 500), K(400, 500)
    return [], [], [(a, b), (b, a + b)], []
