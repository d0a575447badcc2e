"""An LSTM over twenty steps: a scan, its gradient, and a softmax on the last state."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
H = 64


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


def step(x_t, h, s, U):
    z = x_t + T.dot(h, U)
    i, f, o, g = [z[:, k * H : (k + 1) * H] for k in range(4)]
    s = T.nnet.sigmoid(f) * s + T.nnet.sigmoid(i) * T.tanh(g)
    return T.nnet.sigmoid(o) * T.tanh(s), s


x, y = T.ftensor3("x"), T.ivector("y")
W, U, b, V, c = params = [weights(32, 4 * H), weights(H, 4 * H), weights(4 * H), weights(H, 5), weights(5)]
zeros = T.alloc(np.float32(0), x.shape[1], H)
(h, s), _ = theano.scan(step, sequences=[T.dot(x, W) + b], outputs_info=[zeros, zeros], non_sequences=[U])
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(h[-1], V) + c), y).mean()
updates = [(v, v - np.float32(0.1) * g) for v, g in zip(params, T.grad(cost, params))]
train = theano.function([x, y], cost, updates=updates)
for _ in range(3):
    train(rng.uniform(size=(20, 16, 32)).astype("float32"), rng.randint(0, 5, 16).astype("int32"))
