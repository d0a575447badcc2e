"""Loops, embeddings and attention."""

import numpy as np
import theano
import theano.tensor as T
from kit import *  # noqa: F403


@function
def rnn():
    x, y = T.ftensor3("x"), T.ivector("y")
    W, U, V = K(40, 128), K(128, 128), K(128, 10)
    start = T.zeros((x.shape[1], 128), dtype="float32")
    hs, _ = theano.scan(lambda a, h, U: T.tanh(a + T.dot(h, U)), sequences=T.dot(x, W), outputs_info=start, non_sequences=U)
    cost = loss(T.dot(hs[-1], V), y)
    return [x, y], cost, sgd(cost, [W, U, V]), [F(30, 32, 40), I(32, 10)]


@function
def rnn_forward():
    x = T.ftensor3("x")
    W, U = K(40, 128), K(128, 128)
    start = T.zeros((x.shape[1], 128), dtype="float32")
    hs, _ = theano.scan(lambda a, h: T.tanh(T.dot(a, W) + T.dot(h, U)), sequences=x, outputs_info=start)
    return [x], hs, [], [F(30, 32, 40)]


@function
def lstm():
    x, y = T.ftensor3("x"), T.ivector("y")
    n = 100
    W, U, b, V = K(40, 4 * n), K(n, 4 * n), K(4 * n), K(n, 10)

    def step(a, h, c, U):
        z = a + T.dot(h, U)
        i, f, o, g = [z[:, k * n : (k + 1) * n] for k in range(4)]
        c = T.nnet.sigmoid(f) * c + T.nnet.sigmoid(i) * T.tanh(g)
        return T.nnet.sigmoid(o) * T.tanh(c), c

    start = T.zeros((x.shape[1], n), dtype="float32")
    (hs, _), _ = theano.scan(step, sequences=T.dot(x, W) + b, outputs_info=[start, start], non_sequences=U)
    cost = loss(T.dot(hs[-1], V), y)
    return [x, y], cost, sgd(cost, [W, U, b, V]), [F(20, 32, 40), I(32, 10)]


@function
def gru():
    x = T.ftensor3("x")
    n = 100
    W, U, V, X = K(40, 2 * n), K(n, 2 * n), K(40, n), K(n, n)

    def step(a, h):
        g = T.nnet.sigmoid(T.dot(a, W) + T.dot(h, U))
        r, z = g[:, :n], g[:, n:]
        new = T.tanh(T.dot(a, V) + T.dot(r * h, X))
        return (1 - z) * h + z * new

    start = T.zeros((x.shape[1], n), dtype="float32")
    hs, _ = theano.scan(step, sequences=x, outputs_info=start)
    cost = (hs[-1] ** 2).mean()
    return [x], cost, sgd(cost, [W, U, V, X]), [F(20, 32, 40)]


@function
def scan_cumulative():
    x = T.fmatrix("x")
    out, _ = theano.scan(lambda a, q: a * np.float32(0.5) + q, sequences=x, outputs_info=T.zeros_like(x[0]))
    return [x], out.sum(), [], [F(200, 500)]


@function
def power_iteration():
    A = T.fmatrix("A")
    out, _ = theano.scan(
        lambda v, A: T.dot(A, v) / np.float32(2), outputs_info=T.ones((400,), dtype="float32"), non_sequences=A, n_steps=10
    )
    return [A], out[-1], [], [F(400, 400)]


@function
def embedding():
    i, y = T.imatrix("i"), T.ivector("y")
    E, W = K(5000, 50), K(50, 10)
    rows = E[i.flatten()].reshape((i.shape[0], i.shape[1], 50))
    cost = loss(T.dot(rows.mean(axis=1), W), y)
    return [i, y], cost, sgd(cost, [E, W]), [I(64 * 20, 5000).reshape(64, 20), I(64, 10)]


@function
def embedding_rows():
    i = T.ivector("i")
    E = K(20000, 64)
    rows = E[i]
    cost = (rows**2).sum()
    return [i], cost, [(E, T.inc_subtensor(rows, -np.float32(0.1) * T.grad(cost, rows)))], [I(500, 20000)]


@function
def word_windows():
    i = T.imatrix("i")
    E, W = K(5000, 50), K(250, 20)
    rows = E[i].reshape((i.shape[0], 250))
    return [i], T.nnet.softmax(T.dot(rows, W)), [], [I(300 * 5, 5000).reshape(300, 5)]


@function
def attention():
    q, k, v = T.ftensor3("q"), T.ftensor3("k"), T.ftensor3("v")
    e = T.batched_dot(q, k.dimshuffle(0, 2, 1)) / np.float32(8)
    e = T.exp(e - e.max(axis=-1, keepdims=True))
    a = e / e.sum(axis=-1, keepdims=True)
    out = T.batched_dot(a, v)
    return [q, k, v], [out, T.grad((out**2).sum(), q)], [], [F(8, 60, 64), F(8, 60, 64), F(8, 60, 64)]


@function
def attention_heads():
    x = T.fmatrix("x")
    Q, L, V = K(128, 64), K(128, 64), K(128, 64)
    s = T.nnet.softmax(T.dot(T.dot(x, Q), T.dot(x, L).T) / np.float32(8))
    cost = (T.dot(s, T.dot(x, V)) ** 2).mean()
    return [x], cost, sgd(cost, [Q, L, V]), [F(300, 128)]
