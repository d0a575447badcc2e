"""Two functions on the same weights: training with dropout and Adam, and evaluation on a larger batch."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng = np.random.RandomState(0)
srng = MRG_RandomStreams(7)


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


def adam(cost, params, lr=np.float32(0.001)):
    t = theano.shared(np.float32(0))
    updates = [(t, t + 1)]
    rate = lr * T.sqrt(1 - np.float32(0.999) ** (t + 1)) / (1 - np.float32(0.9) ** (t + 1))
    for p, g in zip(params, T.grad(cost, params)):
        m, v = [theano.shared(np.zeros_like(p.get_value())) for _ in "mv"]
        m1, v1 = np.float32(0.9) * m + np.float32(0.1) * g, np.float32(0.999) * v + np.float32(0.001) * g * g
        updates += [(m, m1), (v, v1), (p, p - rate * m1 / (T.sqrt(v1) + np.float32(1e-8)))]
    return updates


x, y = T.fmatrix("x"), T.ivector("y")
W1, b1, W2, b2 = params = [weights(300, 400), weights(400), weights(400, 10), weights(10)]
hidden = T.nnet.relu(T.dot(x, W1) + b1)
dropped = hidden * srng.binomial(hidden.shape, p=0.5, dtype="float32") * np.float32(2)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(dropped, W2) + b2), y).mean()
train = theano.function([x, y], cost, updates=adam(cost, params))
evaluate = theano.function([x], T.argmax(T.dot(hidden, W2) + b2, axis=1))
for _ in range(2):
    train(rng.uniform(size=(64, 300)).astype("float32"), rng.randint(0, 10, 64).astype("int32"))
evaluate(rng.uniform(size=(1000, 300)).astype("float32"))
train(rng.uniform(size=(50, 300)).astype("float32"), rng.randint(0, 10, 50).astype("int32"))
evaluate(rng.uniform(size=(2000, 300)).astype("float32"))
W1.set_value(rng.uniform(size=(300, 400)).astype("float32"))
train(rng.uniform(size=(64, 300)).astype("float32"), rng.randint(0, 10, 64).astype("int32"))
