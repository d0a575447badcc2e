"""python models.py BATCH: models of several kinds, each trained on arguments of BATCH rows."""

import importlib
import sys

import numpy as np

B = int(sys.argv[1])
for name in ("pytensor", "aesara", "theano"):
    try:
        lib = importlib.import_module(name)
        break
    except ImportError:
        pass
T = importlib.import_module(name + ".tensor")
grad = lib.grad if hasattr(lib, "grad") else T.grad
rng = np.random.RandomState(0)


def weights(*shape):
    return lib.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


def softmax(a):
    e = T.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def loss(p, y):
    return -T.mean(T.log(p)[T.arange(y.shape[0]), y])


def train(name, inputs, cost, params, values, more=()):
    updates = [(v, v - np.float32(0.1) * g) for v, g in zip(params, grad(cost, params))] + list(more)
    f = lib.function(inputs, cost, updates=updates, name=name)
    for _ in range(2):
        f(*values)


def real(*shape):
    return rng.uniform(0.1, 1, shape).astype("float32")


def labels(n, k):
    return rng.randint(0, k, n).astype("int32")


def mlp():
    x, y = T.fmatrix("x"), T.ivector("y")
    params = W, b, V = weights(20, 8), weights(8), weights(8, 3)
    p = softmax(T.dot(T.tanh(T.dot(x, W) + b), V))
    train("mlp", [x, y], loss(p, y), params, [real(B, 20), labels(B, 3)])
    lib.function([x], T.argmax(p, axis=1), name="mlp_predict")(real(B, 20))


def reshaped():
    x, y = T.ftensor4("x"), T.ivector("y")
    params = W, V = weights(48, 6), weights(6, 4)
    h = T.maximum(T.dot(x.flatten(2) if hasattr(x, "flatten") else x.reshape((x.shape[0], -1)), W), 0)
    z = T.concatenate([h, h[::-1]], axis=1).reshape((-1, 6))[: x.shape[0]]
    train("reshaped", [x, y], loss(softmax(T.dot(z, V)), y), params, [real(B, 3, 4, 4), labels(B, 4)])


def recurrent():
    x, y = T.ftensor3("x"), T.ivector("y")
    params = W, U, V = weights(4, 6), weights(6, 6), weights(6, 3)
    start = T.alloc(np.float32(0), x.shape[1], 6)
    h, _ = lib.scan(lambda x_t, h, U: T.tanh(x_t + T.dot(h, U)), sequences=[T.dot(x, W)], outputs_info=[start], non_sequences=[U])
    train("recurrent", [x, y], loss(softmax(T.dot(h[-1], V)), y), params, [real(7, B, 4), labels(B, 3)])


def embedding():
    words, y = T.imatrix("words"), T.ivector("y")
    params = E, V = weights(50, 5), weights(5, 3)
    h = E[words.flatten()].reshape((words.shape[0], words.shape[1], 5)).mean(axis=1)
    train("embedding", [words, y], loss(softmax(T.dot(h, V)), y), params, [labels(B * 4, 50).reshape(B, 4), labels(B, 3)])


def state():
    x = T.fmatrix("x")
    chain = lib.shared(real(B, 5), "chain")
    params = (W,) = (weights(5, 5),)
    moved = T.nnet.sigmoid(T.dot(chain, W)) if hasattr(T, "nnet") else T.sigmoid(T.dot(chain, W))
    train("state", [x], T.mean(T.sqr(x - moved)), params, [real(B, 5)], [(chain, moved)])


def convolution():
    conv2d = importlib.import_module(name + ".tensor.nnet").conv2d
    pool_2d = importlib.import_module(name + ".tensor.signal.pool").pool_2d
    x, y = T.ftensor4("x"), T.ivector("y")
    params = W, V = weights(4, 3, 3, 3), weights(36, 3)
    h = pool_2d(T.maximum(conv2d(x, W), 0), (2, 2), ignore_border=True)
    train("convolution", [x, y], loss(softmax(T.dot(h.flatten(2), V)), y), params, [real(B, 3, 8, 8), labels(B, 3)])


T.sqr = getattr(T, "sqr", getattr(T, "square", None))
models = [mlp, reshaped, recurrent, embedding, state]
for model in models + [convolution] * (name == "theano"):
    model()
