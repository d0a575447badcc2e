"""A search that gives each model back and keeps its parameters on the host."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(0)
kept = []


def run(width):
    x, y = T.matrix("x"), T.ivector("y")
    ps = [theano.shared((rng.randn(300, width) * 0.05).astype(floatX)), theano.shared((rng.randn(width, 10) * 0.05).astype(floatX))]
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(T.tanh(T.dot(x, ps[0])), ps[1])), y).mean()
    f = theano.function([x, y], cost, updates=[(p, p - np.asarray(0.1, floatX) * T.grad(cost, p)) for p in ps])
    for _ in range(3):
        c = f(rng.rand(64, 300).astype(floatX), rng.randint(0, 10, 64).astype("int32"))
    return float(c), [p.get_value() for p in ps]


for width in (50, 100, 200):
    kept.append(run(width))
print(min(k[0] for k in kept))
