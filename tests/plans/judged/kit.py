"""What the scripts share."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX


def weights(*shape):
    """Zeros in a shared variable."""
    return theano.shared(np.zeros(shape, floatX))


def loss(p, y):
    """The cost of a classifier."""
    return T.nnet.categorical_crossentropy(p, y).mean()


def train(inputs, cost, params, **options):
    """A function that trains by SGD."""
    updates = [(v, v - np.asarray(0.1, floatX) * g) for v, g in zip(params, T.grad(cost, params))]
    return theano.function(inputs, cost, updates=updates, name="train", **options)


def labels(n):
    """Classes."""
    return np.zeros(n, "int32")


def lstm(x, columns, n):
    """The states after each step of (steps, rows, columns), and the weights."""
    W, U, b = weights(columns, 4 * n), weights(n, 4 * n), weights(4 * n)

    def step(z, h, c, U):
        g = z + T.dot(h, U)
        i, f, o, u = (g[:, k * n : (k + 1) * n] for k in range(4))
        c = T.nnet.sigmoid(f) * c + T.nnet.sigmoid(i) * T.tanh(u)
        return T.nnet.sigmoid(o) * T.tanh(c), c

    zero = T.zeros((x.shape[1], n), floatX)
    (h, _), _ = theano.scan(step, [T.dot(x, W) + b], [zero, zero], [U])
    return h, [W, U, b]


def gru(x, mask, columns, n):
    """The states after each step of (steps, rows, columns), where the mask is 1, and the weights."""
    W, U, V = weights(columns, 3 * n), weights(n, 2 * n), weights(n, n)

    def step(m, z, h, U, V):
        g = T.nnet.sigmoid(z[:, : 2 * n] + T.dot(h, U))
        new = T.tanh(z[:, 2 * n :] + T.dot(g[:, :n] * h, V))
        new = g[:, n:] * h + (1 - g[:, n:]) * new
        return m[:, None] * new + (1 - m)[:, None] * h

    h, _ = theano.scan(step, [mask, T.dot(x, W)], [T.zeros((x.shape[1], n), floatX)], [U, V])
    return h, [W, U, V]


def adam(cost, params):
    """The updates of Adam."""
    updates = []
    for p, g in zip(params, T.grad(cost, params)):
        m, v = theano.shared(p.get_value() * 0), theano.shared(p.get_value() * 0)
        m2 = np.asarray(0.9, floatX) * m + np.asarray(0.1, floatX) * g
        v2 = np.asarray(0.999, floatX) * v + np.asarray(0.001, floatX) * T.sqr(g)
        updates += [(m, m2), (v, v2), (p, p - np.asarray(0.001, floatX) * m2 / (T.sqrt(v2) + np.asarray(1e-8, floatX)))]
    return updates


def sgd(cost, params):
    """The updates of gradient descent."""
    return [(p, p - np.asarray(0.1, floatX) * g) for p, g in zip(params, T.grad(cost, params))]
