"""A GRU with a state that is kept from call to call, trained by truncated gradients with momentum."""

import numpy as np
import theano
import theano.tensor as T

rng = np.random.RandomState(0)
H = 48


def weights(*shape):
    return theano.shared(rng.uniform(-0.1, 0.1, shape).astype("float32"))


def step(x_t, h, U):
    r = T.nnet.sigmoid(x_t[:, :H] + T.dot(h, U[:, :H]))
    z = T.nnet.sigmoid(x_t[:, H : 2 * H] + T.dot(h, U[:, H : 2 * H]))
    return z * h + (1 - z) * T.tanh(x_t[:, 2 * H :] + T.dot(r * h, U[:, 2 * H :]))


x = T.ftensor3("x")
W, U, V = params = [weights(16, 3 * H), weights(H, 3 * H), weights(H, 16)]
state = theano.shared(np.zeros((8, H), "float32"))
h, _ = theano.scan(step, sequences=[T.dot(x, W)], outputs_info=[state], non_sequences=[U], truncate_gradient=10)
cost = T.sqr(T.dot(h, V)[:-1] - x[1:]).mean()
updates = [(state, h[-1])]
for p, g in zip(params, T.grad(cost, params)):
    v = theano.shared(np.zeros_like(p.get_value()))
    update = np.float32(0.9) * v - np.float32(0.01) * g
    updates += [(v, update), (p, p + update)]
train = theano.function([x], cost, updates=updates)
for length in (30, 30, 40, 30):
    train(rng.uniform(size=(length, 8, 16)).astype("float32"))
