"""Perceptrons, autoencoders and their kin."""

import numpy as np
import theano
import theano.tensor as T
from kit import *  # noqa: F403


@function
def mlp_sgd():
    return classifier(sgd)


@function
def mlp_momentum():
    return classifier(momentum)


@function
def mlp_adam():
    return classifier(adam)


@function
def mlp_rmsprop():
    return classifier(rmsprop)


@function
def mlp_relu():
    return classifier(sgd, act=T.nnet.relu)


@function
def mlp_sigmoid_deep():
    return classifier(sgd, sizes=(784, 400, 400, 400, 400, 10), act=T.nnet.sigmoid)


@function
def mlp_softplus_wide_batch():
    return classifier(sgd, batch=3000, act=T.nnet.softplus)


@function
def mlp_predict():
    x = T.fmatrix("x")
    out, _ = dense(x, 784, 500, 300, 10)
    return [x], T.argmax(T.nnet.softmax(out), axis=1), [], [F(1000, 784)]


@function
def mlp_errors():
    x, y = T.fmatrix("x"), T.ivector("y")
    out, _ = dense(x, 784, 500, 10)
    return [x, y], T.neq(T.argmax(out, axis=1), y).mean(), [], [F(1000, 784), I(1000, 10)]


@function
def logistic():
    return classifier(sgd, sizes=(784, 10), batch=600)


@function
def logistic_givens():
    x, y, n = T.fmatrix("x"), T.ivector("y"), T.lscalar("n")
    X, Y = K(10000, 100), theano.shared(I(10000, 10))
    out, params = dense(x, 100, 10)
    cost = loss(out, y)
    updates = sgd(cost, params)
    return [n], cost, updates, [3], {x: X[n * 500 : (n + 1) * 500], y: Y[n * 500 : (n + 1) * 500]}


@function
def linear_regression():
    x, y = T.fmatrix("x"), T.fvector("y")
    w, b = K(500), theano.shared(np.float32(0))
    cost = ((T.dot(x, w) + b - y) ** 2).mean()
    return [x, y], cost, sgd(cost, [w, b]), [F(4000, 500), F(4000)]


@function
def regularised():
    x, y = T.fmatrix("x"), T.ivector("y")
    out, params = dense(x, 784, 500, 10)
    cost = loss(out, y) + np.float32(1e-3) * sum(abs(p).sum() + (p**2).sum() for p in params[::2])
    return [x, y], cost, sgd(cost, params), [F(200, 784), I(200, 10)]


@function
def clipped_gradients():
    x, y = T.fmatrix("x"), T.ivector("y")
    out, params = dense(x, 784, 500, 10)
    grads = T.grad(loss(out, y), params)
    norm = T.sqrt(sum((g**2).sum() for g in grads))
    scale = np.float32(5) / T.maximum(norm, np.float32(5))
    return [x, y], norm, [(p, p - g * scale) for p, g in zip(params, grads)], [F(200, 784), I(200, 10)]


@function
def normed_columns():
    x = T.fmatrix("x")
    W = K(784, 500)
    new = W - np.float32(0.1) * T.grad((T.dot(x, W) ** 2).mean(), W)
    norms = T.sqrt((new**2).sum(axis=0, keepdims=True))
    return [x], [], [(W, new * T.clip(norms, 0, 3) / (norms + np.float32(1e-7)))], [F(300, 784)]


@function
def autoencoder():
    x = T.fmatrix("x")
    W, b, c = K(784, 500), K(500), K(784)
    h = T.nnet.sigmoid(T.dot(x, W) + b)
    z = T.nnet.sigmoid(T.dot(h, W.T) + c)
    cost = -(x * T.log(z) + (1 - x) * T.log(1 - z)).sum(axis=1).mean()
    return [x], cost, sgd(cost, [W, b, c]), [abs(F(200, 784))]


@function
def deep_autoencoder():
    x = T.fmatrix("x")
    out, params = dense(x, 784, 256, 32, 256, 784)
    cost = ((out - x) ** 2).mean()
    return [x], cost, adam(cost, params), [F(500, 784)]


@function
def contractive():
    x = T.fmatrix("x")
    W, b = K(300, 200), K(200)
    h = T.nnet.sigmoid(T.dot(x, W) + b)
    jacobian = T.reshape(h * (1 - h), (x.shape[0], 1, 200)) * T.reshape(W, (1, 300, 200))
    cost = T.sum(jacobian**2) / 50
    return [x], cost, sgd(cost, [W, b]), [F(50, 300)]


@function
def variational():
    x, e = T.fmatrix("x"), T.fmatrix("e")
    h, p1 = dense(x, 784, 300, 40)
    mean, log_var = h[:, :20], h[:, 20:]
    z = mean + T.exp(log_var / 2) * e
    out, p2 = dense(z, 20, 300, 784)
    fit = T.nnet.binary_crossentropy(T.nnet.sigmoid(out), x).sum(axis=1)
    kl = -(1 + log_var - mean**2 - T.exp(log_var)).sum(axis=1) / 2
    cost = (fit + kl).mean()
    return [x, e], cost, adam(cost, p1 + p2), [abs(F(200, 784)), F(200, 20)]


@function
def dropout_mask_given():
    x, m, y = T.fmatrix("x"), T.fmatrix("m"), T.ivector("y")
    W, q, V, r = K(784, 500), K(500), K(500, 10), K(10)
    h = T.nnet.relu(T.dot(x, W) + q) * m * np.float32(2)
    cost = loss(T.dot(h, V) + r, y)
    return [x, m, y], cost, sgd(cost, [W, q, V, r]), [F(300, 784), F(300, 500), I(300, 10)]


@function
def dropout_mrg():
    from theano.sandbox.rng_mrg import MRG_RandomStreams

    x, y, streams = T.fmatrix("x"), T.ivector("y"), MRG_RandomStreams(3)
    W, q, V, r = K(784, 500), K(500), K(500, 10), K(10)
    h = T.nnet.relu(T.dot(x, W) + q)
    h = h * streams.binomial(h.shape, p=0.5, dtype="float32") * np.float32(2)
    cost = loss(T.dot(h, V) + r, y)
    return [x, y], cost, sgd(cost, [W, q, V, r]), [F(300, 784), I(300, 10)]


@function
def rbm():
    from theano.sandbox.rng_mrg import MRG_RandomStreams

    v, streams = T.fmatrix("v"), MRG_RandomStreams(5)
    W, b, c = K(784, 200), K(200), K(784)
    up = lambda v: T.nnet.sigmoid(T.dot(v, W) + b)  # noqa: E731
    h = streams.binomial((100, 200), p=up(v), dtype="float32")
    model = T.nnet.sigmoid(T.dot(h, W.T) + c)
    sample = streams.binomial((100, 784), p=model, dtype="float32")
    energy = lambda v: -T.dot(v, c) - T.nnet.softplus(T.dot(v, W) + b).sum(axis=1)  # noqa: E731
    cost = energy(v).mean() - energy(sample).mean()
    grads = T.grad(cost, [W, b, c], consider_constant=[sample])
    return [v], cost, [(p, p - np.float32(0.1) * g) for p, g in zip([W, b, c], grads)], [abs(F(100, 784))]
