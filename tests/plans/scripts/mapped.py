"""Functions with a loop over independent steps, and the same functions of all steps at once, for the tests of TD336."""

import numpy as np
import theano
import theano.tensor as T

N, B, D, H = 200, 64, 128, 256


def zeros(*shape):
    """An array of float32."""
    return np.zeros(shape, "float32")


x = T.ftensor3("x")
W = theano.shared(zeros(D, H), name="W")
b = theano.shared(zeros(H), name="b")
V = theano.shared(zeros(D, 1000), name="V")
g = theano.shared(zeros(B, D), name="g")
X = theano.shared(zeros(N, B, D), name="X")


def train(name, result, inputs, *params):
    """Compiles the gradient of the mean square of a result, and calls it once."""
    cost = T.sqr(result).mean()
    updates = [(p, p - np.float32(0.1) * d) for p, d in zip(params, T.grad(cost, params))]
    theano.function(inputs, cost, updates=updates, name=name)(*[zeros(N, B, D)] * len(inputs))


def predict(name, result, inputs):
    """Compiles a result, and calls it once."""
    theano.function(inputs, result, name=name)(*[zeros(N, B, D)] * len(inputs))


dense, _ = theano.map(lambda r: T.tanh(T.dot(r, W) + b), sequences=[x])
weighted, _ = theano.scan(fn=lambda r, v: T.tanh(r * v).sum(1), sequences=x, non_sequences=g)
classes, _ = theano.map(lambda r: T.nnet.softmax(T.dot(r, V)), [x])
numbered, _ = theano.map(lambda i: T.tanh(T.dot(X[i], W)), [T.arange(N)])
dense_at_once = T.tanh(T.dot(x, W) + b)
weighted_at_once = T.tanh(x * g).sum(axis=2)
classes_at_once = T.nnet.softmax(T.dot(x.reshape((-1, D)), V))
numbered_at_once = T.tanh(T.dot(X, W))
train("dense", dense, [x], W, b)
train("dense at once", dense_at_once, [x], W, b)
train("weighted", weighted, [x], g)
train("weighted at once", weighted_at_once, [x], g)
train("classes", classes, [x], V)
train("classes at once", classes_at_once, [x], V)
train("numbered", numbered, [], W)
train("numbered at once", numbered_at_once, [], W)
predict("dense of new", dense, [x])
predict("dense of new at once", dense_at_once, [x])
predict("classes of new", classes, [x])
predict("classes of new at once", classes_at_once, [x])
