"""A GAN: two updates functions over shared parameters, transposed convolutions in the generator, leaky rectifiers."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_inputs

rng, srng = np.random.RandomState(5), MRG_RandomStreams(9)
S = lambda *s: theano.shared((rng.randn(*s) * 0.05).astype("float32"))
G = [S(20, 32 * 4 * 4), S(32, 16, 5, 5), S(16, 1, 5, 5)]
D = [S(8, 1, 5, 5), S(16, 8, 5, 5), S(16 * 16, 1)]


def deconv(x, W, n, side):
    return conv2d_grad_wrt_inputs(x, W, (None, n, side, side), border_mode=(2, 2), subsample=(2, 2))


def generator(z):
    h = T.nnet.relu(T.dot(z, G[0])).reshape((z.shape[0], 32, 4, 4))
    h = T.nnet.relu(deconv(h, G[1], 16, 8))
    return T.nnet.sigmoid(deconv(h, G[2], 1, 16))


def discriminator(x):
    h = T.nnet.relu(T.nnet.conv2d(x, D[0], border_mode=(2, 2), subsample=(2, 2)), 0.2)
    h = T.nnet.relu(T.nnet.conv2d(h, D[1], border_mode=(2, 2), subsample=(2, 2)), 0.2)
    return T.nnet.sigmoid(T.dot(h.flatten(2), D[2]))


def rmsprop(cost, params):
    updates = []
    for p, g in zip(params, T.grad(cost, params)):
        a = theano.shared(p.get_value(borrow=True) * 0)
        n = 0.9 * a + 0.1 * g**2
        updates += [(a, n), (p, p - 0.001 * g / T.sqrt(n + 1e-6))]
    return updates


x = T.ftensor4("x")
z = srng.uniform((x.shape[0], 20), -1, 1, dtype="float32")
fake = generator(z)
real_p, fake_p = discriminator(x), discriminator(fake)
d_cost = T.nnet.binary_crossentropy(real_p, T.ones_like(real_p)).mean() + T.nnet.binary_crossentropy(fake_p, T.zeros_like(fake_p)).mean()
g_cost = T.nnet.binary_crossentropy(fake_p, T.ones_like(fake_p)).mean()
train_d = theano.function([x], d_cost, updates=rmsprop(d_cost, D))
train_g = theano.function([x], g_cost, updates=rmsprop(g_cost, G))
n = T.iscalar()
sample = theano.function([n], generator(srng.uniform((n, 20), -1, 1, dtype="float32")))
for i in range(3):
    train_d(rng.rand(12, 1, 16, 16).astype("float32"))
    if i % 2 == 0:
        train_g(rng.rand(12, 1, 16, 16).astype("float32"))
sample(5)
sample(30)
