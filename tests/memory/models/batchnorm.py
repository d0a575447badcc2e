"""A small residual net: half convolutions, hand-written and library batch normalisation, global average pooling, Nesterov momentum."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import bn

rng = np.random.RandomState(4)
S = lambda v: theano.shared(np.asarray(v, "float32"))
params, stats = [], []


def conv(x, n, c, stride=1):
    W = S(rng.randn(n, c, 3, 3) * 0.1)
    params.append(W)
    return T.nnet.conv2d(x, W, border_mode="half" if stride == 1 else (1, 1), subsample=(stride, stride))


def norm(x, n):
    gamma, beta, mean, var = S(np.ones(n)), S(np.zeros(n)), S(np.zeros(n)), S(np.ones(n))
    params.extend([gamma, beta])
    out, _, _, m, v = bn.batch_normalization_train(x, gamma, beta, axes="spatial", running_mean=mean, running_var=var)
    stats.extend([(mean, m), (var, v)])
    return out


def hand_norm(x, n):
    gamma, beta = S(np.ones(n)), S(np.zeros(n))
    params.extend([gamma, beta])
    m, v = x.mean(axis=(0, 2, 3), keepdims=True), x.var(axis=(0, 2, 3), keepdims=True)
    return (x - m) / T.sqrt(v + 1e-5) * gamma.dimshuffle("x", 0, "x", "x") + beta.dimshuffle("x", 0, "x", "x")


def block(x, n, c, stride, norm):
    h = T.nnet.relu(norm(conv(x, n, c, stride), n))
    h = norm(conv(h, n, n), n)
    return T.nnet.relu(h + (x if stride == 1 else conv(x, n, c, stride)))


x, y = T.ftensor4("x"), T.ivector("y")
h = block(T.nnet.relu(norm(conv(x, 8, 3), 8)), 8, 8, 1, norm)
h = block(h, 16, 8, 2, hand_norm).mean(axis=(2, 3))
W, b = S(rng.randn(16, 5) * 0.1), S(np.zeros(5))
params.extend([W, b])
p = T.nnet.softmax(T.dot(h, W) + b)
l2 = sum((q**2).sum() for q in params if q.ndim > 1)
cost = T.nnet.categorical_crossentropy(p, y).mean() + 1e-4 * l2
updates = list(stats)
for q, g in zip(params, T.grad(cost, params)):
    v = theano.shared(np.zeros_like(q.get_value()))
    new = 0.9 * v - 0.01 * g
    updates += [(v, new), (q, q + 0.9 * new - 0.01 * g)]
train = theano.function([x, y], cost, updates=updates)
acc = theano.function([x, y], T.mean(T.eq(p.argmax(1), y), dtype="float32"))
for n in (8, 8, 5):
    a = rng.rand(n, 3, 16, 16).astype("float32"), rng.randint(0, 5, n).astype("int32")
    train(*a)
    acc(*a)
