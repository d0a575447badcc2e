"""One step of training: `conv_nets.py FOLDER_OF_COMPAT|- lenet|vgg MODE`. Prints seconds of the first call and of the best of twelve."""
import importlib.util
import json
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
x, y, params = T.ftensor4(), T.ivector(), []


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


if net == "lenet":
    images = rng.rand(128, 1, 28, 28)
    h = T.tanh(halved(conv(x, 20, 1, 5)))
    h, features = T.tanh(halved(conv(h, 50, 20, 5))), 800
else:
    images = rng.rand(4, 3, 64, 64)
    h = T.nnet.relu(conv(x, 64, 3, 3, "half"))
    h = halved(T.nnet.relu(conv(h, 64, 64, 3, "half")))
    h = T.nnet.relu(conv(h, 128, 64, 3, "half"))
    h, features = halved(T.nnet.relu(conv(h, 128, 128, 3, "half"))), 128 * 16 * 16
p = T.nnet.softmax(T.dot(T.tanh(T.dot(h.flatten(2), weights(features, 100))), weights(100, 10)))
cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
updates = [(v, v - numpy.float32(0.01) * g) for v, g in zip(params, T.grad(cost, params))]
images = images.astype("float32")
labels = rng.randint(0, 10, len(images)).astype("int32")
start = time.time()
step = theano.function([x, y], cost, updates=updates, mode=mode)
step(images, labels)
first, seconds = time.time() - start, []
for _ in range(12):
    start = time.time()
    step(images, labels)
    seconds.append(time.time() - start)
print(json.dumps({"first": first, "step": min(seconds)}))
