"""What the functions are made of. Written for Theano; runs on Aesara and PyTensor too."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
FUNCTIONS = []


def F(*shape):
    """Numbers to compute with."""
    return rng.uniform(-0.1, 0.1, shape).astype("float32")


def K(*shape):
    """Weights."""
    return theano.shared(F(*shape))


def I(n, top):  # noqa: E743
    """Class numbers."""
    return rng.randint(0, top, n).astype("int32")


def function(build):
    """Registers a builder: -> inputs, outputs, updates, arguments."""
    FUNCTIONS.append(build)
    return build


def sgd(cost, params, rate=0.1):
    return [(p, p - np.float32(rate) * g) for p, g in zip(params, T.grad(cost, params))]


def momentum(cost, params):
    found = []
    for p, g in zip(params, T.grad(cost, params)):
        v = theano.shared(np.zeros_like(p.get_value()))
        step = np.float32(0.9) * v - np.float32(0.01) * g
        found += [(v, step), (p, p + step)]
    return found


def adam(cost, params):
    t = theano.shared(np.float32(0))
    found, now = [(t, t + np.float32(1))], t + np.float32(1)
    for p, g in zip(params, T.grad(cost, params)):
        m, v = [theano.shared(np.zeros_like(p.get_value())) for _ in range(2)]
        m1, v1 = np.float32(0.9) * m + np.float32(0.1) * g, np.float32(0.999) * v + np.float32(0.001) * g * g
        rate = np.float32(0.001) * T.sqrt(1 - np.float32(0.999) ** now) / (1 - np.float32(0.9) ** now)
        found += [(m, m1), (v, v1), (p, p - rate * m1 / (T.sqrt(v1) + np.float32(1e-8)))]
    return found


def rmsprop(cost, params):
    found = []
    for p, g in zip(params, T.grad(cost, params)):
        a = theano.shared(np.zeros_like(p.get_value()))
        a1 = np.float32(0.9) * a + np.float32(0.1) * g**2
        found += [(a, a1), (p, p - np.float32(0.01) * g / T.sqrt(a1 + np.float32(1e-6)))]
    return found


def loss(scores, y):
    return T.nnet.categorical_crossentropy(T.nnet.softmax(scores), y).mean()


def dense(x, *sizes, **kw):
    """A perceptron and its weights."""
    params, act = [], kw.get("act", T.tanh)
    for n, (a, b) in enumerate(zip(sizes, sizes[1:])):
        W, q = K(a, b), K(b)
        params += [W, q]
        x = T.dot(x, W) + q
        x = act(x) if n + 2 < len(sizes) else x
    return x, params


def classifier(update, sizes=(784, 500, 300, 10), batch=200, **kw):
    x, y = T.fmatrix("x"), T.ivector("y")
    out, params = dense(x, *sizes, **kw)
    cost = loss(out, y)
    return [x, y], cost, update(cost, params), [F(batch, sizes[0]), I(batch, 10)]
