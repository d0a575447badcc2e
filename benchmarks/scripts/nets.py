"""One step of training: `nets.py FOLDER_OF_COMPAT|- mlp|lstm|lenet|vgg MODE`. Prints seconds of the first call and of the best later one.

Seconds by the clock, and of processors (children that compile included): on a machine that does other work the latter tell more.
"""
import importlib.util
import json
import os
import sys
import time
import warnings

warnings.simplefilter("ignore")
folder, net, mode = sys.argv[1:4]
if folder != "-":
    spec = importlib.util.spec_from_file_location("compat_by_path", folder + "/__init__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.install()
import numpy  # noqa: E402
import theano  # noqa: E402
import theano.tensor as T  # noqa: E402
from theano.tensor.signal import pool  # noqa: E402

rng = numpy.random.RandomState(0)
y, params = T.ivector(), []
STEPS = {"mlp": 60, "lstm": 20}


def weights(*shape):
    """A new parameter."""
    params.append(theano.shared((0.05 * rng.randn(*shape)).astype("float32")))
    return params[-1]


def conv(h, filters, channels, size, border_mode="valid"):
    """A layer."""
    w, b = weights(filters, channels, size, size), weights(filters)
    return T.nnet.conv2d(h, w, border_mode=border_mode) + b.dimshuffle("x", 0, "x", "x")


def halved(h):
    """Pooled by two."""
    return pool.pool_2d(h, (2, 2), ignore_border=True)


def mlp():
    """Digits through two hidden layers."""
    x = T.fmatrix()
    h = T.tanh(T.dot(x, weights(784, 500)) + weights(500))
    return x, T.tanh(T.dot(h, weights(500, 500)) + weights(500)), 500, rng.rand(128, 784)


def lstm():
    """Sequences of 50 steps through a layer of 128 units."""
    x, n = T.ftensor3(), 128
    recurrent = weights(n, 4 * n)

    def step(now, h, c):
        gates = now + T.dot(h, recurrent)
        i, f, o = (T.nnet.sigmoid(gates[:, k * n : (k + 1) * n]) for k in range(3))
        c = f * c + i * T.tanh(gates[:, 3 * n :])
        return o * T.tanh(c), c

    start = T.alloc(numpy.float32(0), x.shape[1], n)
    (h, _), _ = theano.scan(step, sequences=[T.dot(x, weights(64, 4 * n)) + weights(4 * n)], outputs_info=[start, start])
    return x, h[-1], n, rng.rand(50, 32, 64)


def lenet():
    """Digits through two convolutions."""
    x = T.ftensor4()
    h = T.tanh(halved(conv(x, 20, 1, 5)))
    h = T.tanh(halved(conv(h, 50, 20, 5)))
    return x, T.tanh(T.dot(h.flatten(2), weights(800, 100))), 100, rng.rand(128, 1, 28, 28)


def vgg():
    """Pictures through four convolutions."""
    x = T.ftensor4()
    h = T.nnet.relu(conv(x, 64, 3, 3, "half"))
    h = halved(T.nnet.relu(conv(h, 64, 64, 3, "half")))
    h = T.nnet.relu(conv(h, 128, 64, 3, "half"))
    h = halved(T.nnet.relu(conv(h, 128, 128, 3, "half")))
    return x, T.tanh(T.dot(h.flatten(2), weights(128 * 16 * 16, 100))), 100, rng.rand(4, 3, 64, 64)


def seconds():
    """By the clock, and of processors."""
    return time.time(), time.process_time() + sum(os.times()[2:4])


def since(start):
    """How long ago that was."""
    return [now - then for now, then in zip(seconds(), start)]


x, h, features, inputs = {"mlp": mlp, "lstm": lstm, "lenet": lenet, "vgg": vgg}[net]()
p = T.nnet.softmax(T.dot(h, weights(features, 10)))
cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
updates = [(v, v - numpy.float32(0.01) * g) for v, g in zip(params, T.grad(cost, params))]
inputs = inputs.astype("float32")
labels = rng.randint(0, 10, inputs.shape[1 if net == "lstm" else 0]).astype("int32")
start = seconds()
step = theano.function([x, y], cost, updates=updates, mode=mode)
step(inputs, labels)
first, later = since(start), []
for _ in range(STEPS.get(net, 12)):
    start = seconds()
    step(inputs, labels)
    later.append(since(start))
clock, processor = map(min, zip(*later))
print(json.dumps({"first": first[0], "first_processor": first[1], "step": clock, "step_processor": processor}))
