"""A U-Net: concatenations, upsampling by repeat, Dice loss; a DCGAN; an autoregressive net with masked convolutions."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d
from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_inputs, bilinear_upsampling
from theano.tensor.signal.pool import pool_2d
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(11)
fx = theano.config.floatX
S = lambda *s: theano.shared((0.1 * rng.normal(size=s)).astype(fx))
x, y, SIDE = T.tensor4("x"), T.tensor4("y"), 48


def adam(cost, params, rate=1e-3):
    t = theano.shared(np.array(0, fx))
    out = [(t, t + 1)]
    for p, g in zip(params, T.grad(cost, params)):
        m, v = [theano.shared(np.zeros_like(p.get_value())) for _ in "mv"]
        m2, v2 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * T.sqr(g)
        step = rate * T.sqrt(1 - 0.999 ** (t + 1)) / (1 - 0.9 ** (t + 1))
        out += [(m, m2), (v, v2), (p, p - T.cast(step, fx) * m2 / (T.sqrt(v2) + 1e-8))]
    return out


# U-Net
W = [S(8, 1, 3, 3), S(16, 8, 3, 3), S(8, 24, 3, 3), S(1, 16, 3, 3)]
b = [S(8), S(16), S(8), S(1)]
block = lambda i, h: conv2d(h, W[i], border_mode="half") + b[i][None, :, None, None]
d1 = T.nnet.relu(block(0, x))
d2 = T.nnet.relu(block(1, pool_2d(d1, (2, 2), ignore_border=True)))
up = T.concatenate([d2.repeat(2, axis=2).repeat(2, axis=3), d1], axis=1)
u1 = T.nnet.elu(block(2, up))
u2 = T.concatenate(
    [bilinear_upsampling(pool_2d(u1, (2, 2), ignore_border=True, mode="average_inc_pad"), ratio=2, num_input_channels=8), d1], axis=1
)
mask = T.nnet.sigmoid(block(3, u2))
dice = 1 - (2 * (mask * y).sum((1, 2, 3)) + 1) / (mask.sum((1, 2, 3)) + y.sum((1, 2, 3)) + 1)
train = theano.function([x, y], dice.mean(), updates=adam(dice.mean(), W + b))
segment = theano.function([x], mask > 0.5)

# masked convolutions
masks = []
for kind, k in (("A", 7), ("B", 3)):
    m = np.ones((8, 1 if kind == "A" else 8, k, k), fx)
    m[:, :, k // 2, k // 2 + (kind == "B") :] = 0
    m[:, :, k // 2 + 1 :] = 0
    masks.append(m)
Q = [S(8, 1, 7, 7), S(8, 8, 3, 3), S(1, 8, 1, 1)]
h = conv2d(x, Q[0] * masks[0], border_mode=(3, 3))
h = h + conv2d(T.tanh(h) * T.nnet.sigmoid(h), Q[1] * masks[1], border_mode=(1, 1))
logits = conv2d(T.nnet.relu(h), Q[2])
nll = T.nnet.binary_crossentropy(T.clip(T.nnet.sigmoid(logits), 1e-6, 1 - 1e-6), x).sum((1, 2, 3)).mean()
pixel = theano.function([x], nll, updates=adam(nll, Q))

# a generator and a discriminator
n = T.iscalar("n")
G, D = [S(20, 16 * 12 * 12), S(16, 8, 5, 5), S(8, 1, 5, 5)], [S(8, 1, 5, 5), S(16, 8, 5, 5), S(16 * 12 * 12, 1)]
bn = lambda h, axes: (h - h.mean(axes, keepdims=True)) / T.sqrt(h.var(axes, keepdims=True) + 1e-5)


def generate(z):
    h = T.nnet.relu(bn(T.dot(z, G[0]), 0)).reshape((z.shape[0], 16, 12, 12))
    h = T.nnet.relu(bn(conv2d_grad_wrt_inputs(h, G[1], (None, 8, 24, 24), border_mode="half", subsample=(2, 2)), (0, 2, 3)))
    return T.tanh(conv2d_grad_wrt_inputs(h, G[2], (None, 1, 48, 48), border_mode="half", subsample=(2, 2)))


def judge(i):
    h = T.nnet.relu(conv2d(i, D[0], border_mode="half", subsample=(2, 2)), 0.2)
    h = T.nnet.relu(bn(conv2d(h, D[1], border_mode="half", subsample=(2, 2)), (0, 2, 3)), 0.2)
    return T.nnet.sigmoid(T.dot(h.flatten(2), D[2]))


fake = generate(srng.uniform((n, 20), -1, 1))
pf, pr = judge(fake), judge(x)
dc = -(T.log(pr + 1e-6).mean() + T.log(1 - pf + 1e-6).mean())
gc = -T.log(pf + 1e-6).mean()
train_d = theano.function([x, n], dc, updates=adam(dc, D))
train_g = theano.function([n], gc, updates=adam(gc, G))
sample = theano.function([n], fake)
for batch in (6, 6, 9):
    i = rng.uniform(size=(batch, 1, SIDE, SIDE)).astype(fx)
    train(i, (i > 0.5).astype(fx)), segment(i), pixel(i), train_d(i, batch), train_g(batch), sample(batch)
