"""A highway network under a layer of maxout: dropout that a switch turns off, Nesterov momentum, columns held below a norm, a falling rate."""
import numpy as np
import theano
import theano.ifelse
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(7)
IN, WIDTH, PIECES, LAYERS, CLASSES = 64, 48, 3, 6, 10


def orthogonal(n, m, name):
    u, _, v = np.linalg.svd(rng.randn(n, m), full_matrices=False)
    return theano.shared((u if u.shape == (n, m) else v).astype("float32"), name=name)


x, y = T.matrix("x", dtype="float32"), T.ivector("y")
training = theano.shared(np.int8(1), name="training")
rate = theano.shared(np.float32(0.05), name="rate")
params, matrices = [], []


def bias(n, value=0.0):
    params.append(theano.shared(np.full(n, value, "float32")))
    return params[-1]


def matrix(n, m, name):
    matrices.append(orthogonal(n, m, name))
    params.append(matrices[-1])
    return matrices[-1]


def dropped(h, p):
    kept = h * srng.binomial(h.shape, n=1, p=1 - p, dtype="float32") / np.float32(1 - p)
    return theano.ifelse.ifelse(training, kept, h)


h = T.dot(dropped(x, 0.2), matrix(IN, WIDTH * PIECES, "M")) + bias(WIDTH * PIECES)
h = h.reshape((h.shape[0], WIDTH, PIECES)).max(axis=2)
for i in range(LAYERS):
    gate = T.nnet.hard_sigmoid(T.dot(h, matrix(WIDTH, WIDTH, "T%d" % i)) + bias(WIDTH, -2.0))
    h = T.nnet.elu(T.dot(h, matrix(WIDTH, WIDTH, "H%d" % i)) + bias(WIDTH)) * gate + h * (1 - gate)
    h = dropped(h, 0.5)
p = T.nnet.softmax(T.dot(h, matrix(WIDTH, CLASSES, "out")) + bias(CLASSES))
cost = T.nnet.categorical_crossentropy(p, y).mean() + sum(np.float32(1e-4) * T.sqr(m).sum() for m in matrices)
updates = []
for param, g in zip(params, T.grad(cost, params)):
    velocity = theano.shared(np.zeros_like(param.get_value()))
    v = np.float32(0.9) * velocity - rate * g
    new = param + np.float32(0.9) * v - rate * g
    if param in matrices:
        norms = T.sqrt(T.sqr(new).sum(axis=0, keepdims=True))
        new = new * (T.clip(norms, 0, np.float32(1.5)) / (np.float32(1e-7) + norms))
    updates += [(velocity, v), (param, new)]
train = theano.function([x, y], cost, updates=updates, name="train")
errors = theano.function([x, y], T.neq(T.argmax(p, axis=1), y).mean(), name="errors")
slower = theano.function([], rate, updates=[(rate, rate * np.float32(0.98))], name="slower")

data, labels = rng.rand(150, IN).astype("float32"), rng.randint(0, CLASSES, 150).astype("int32")
for epoch in range(2):
    training.set_value(np.int8(1))
    for start in range(0, 150, 64):
        train(data[start : start + 64], labels[start : start + 64])
    slower()
    training.set_value(np.int8(0))
    errors(data, labels)
