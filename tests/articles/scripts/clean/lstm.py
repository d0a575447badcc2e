"""A small LSTM with gates computed in the step, short sentences."""

import numpy as np
import theano
import theano.tensor as T

floatX = theano.config.floatX
rng = np.random.RandomState(0)
dim = 64


def w(*s):
    """Weights."""
    return theano.shared((rng.randn(*s) * 0.05).astype(floatX))


Wx, Uh, V = w(32, 4 * dim), w(dim, 4 * dim), w(dim, 5)
x, y = T.tensor3("x"), T.ivector("y")


def step(x_t, h, c, Wx, Uh):
    g = T.dot(x_t, Wx) + T.dot(h, Uh)
    i, f, o, n = (g[:, k * dim : (k + 1) * dim] for k in range(4))
    c = T.nnet.sigmoid(f) * c + T.nnet.sigmoid(i) * T.tanh(n)
    return T.nnet.sigmoid(o) * T.tanh(c), c


z = T.zeros((x.shape[1], dim))
(h, _), _ = theano.scan(step, sequences=x, outputs_info=[z, z], non_sequences=[Wx, Uh])
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h[-1], V)), y).mean()
train = theano.function([x, y], cost, updates=[(q, q - np.asarray(0.1, floatX) * T.grad(cost, q)) for q in (Wx, Uh, V)])
for _ in range(3):
    print(train(rng.rand(20, 32, 32).astype(floatX), rng.randint(0, 5, 32).astype("int32")))
