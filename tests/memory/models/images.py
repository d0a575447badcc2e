"""Images: a convolutional autoencoder, dilated and strided convolutions, group norm, pooling modes, three dimensions, a siamese net."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.nnet import conv2d, conv3d
from theano.tensor.nnet.abstract_conv import conv2d_grad_wrt_inputs
from theano.tensor.signal.pool import pool_2d

rng = np.random.RandomState(0)
fx = theano.config.floatX
F = lambda *s: rng.uniform(-1, 1, s).astype(fx)
S = lambda *s: theano.shared(F(*s))
x, z, v = T.tensor4("x"), T.tensor4("z"), T.tensor5("v") if hasattr(T, "tensor5") else T.TensorType(fx, (False,) * 5)("v")
sgd = lambda c, ps: [(p, p - np.float32(0.01) * g) for p, g in zip(ps, T.grad(c, ps))]
# autoencoder
W1, b1, W2, b2 = S(8, 3, 3, 3), S(8), S(8, 3, 3, 3), S(3)
code = T.nnet.relu(conv2d(x, W1, border_mode="half", subsample=(2, 2)) + b1.dimshuffle("x", 0, "x", "x"))
back = conv2d_grad_wrt_inputs(code, W2, (None, 3, x.shape[2], x.shape[3]), border_mode="half", subsample=(2, 2))
loss = T.nnet.binary_crossentropy(T.clip(T.nnet.sigmoid(back + b2.dimshuffle("x", 0, "x", "x")), 1e-6, 1 - 1e-6), x).mean()
auto = theano.function([x], loss, updates=sgd(loss, [W1, b1, W2, b2]))
# dilated, strided, pooled in all ways
D1, D2 = S(6, 3, 3, 3), S(6, 6, 3, 3)
a = T.tanh(conv2d(x, D1, filter_dilation=(2, 2)))
groups = a.reshape((a.shape[0], 3, 2, a.shape[2], a.shape[3]))
normed = ((groups - groups.mean((2, 3, 4), keepdims=True)) / T.sqrt(groups.var((2, 3, 4), keepdims=True) + 1e-5)).reshape(a.shape)
p1 = pool_2d(normed, (2, 2), ignore_border=True, mode="max")
p2 = pool_2d(normed, (2, 2), ignore_border=True, mode="average_exc_pad")
p3 = pool_2d(normed, (2, 2), ignore_border=True, mode="sum")
deep = conv2d(p1 + p2 * p3, D2, subsample=(2, 2), border_mode=(1, 1))
loss2 = (deep**2).mean()
pooled = theano.function([x], loss2, updates=sgd(loss2, [D1, D2]))
# two branches that share weights
E, V = S(6, 3, 5, 5), S(6, 4)
embed = lambda i: T.dot(T.nnet.relu(conv2d(i, E)).mean((2, 3)), V)
distance = T.sqrt(((embed(x) - embed(z)) ** 2).sum(1) + 1e-6)
same = T.vector("same")
contrast = (same * distance**2 + (1 - same) * T.maximum(0, 1 - distance) ** 2).mean()
siamese = theano.function([x, z, same], contrast, updates=sgd(contrast, [E, V]))
# three dimensions
K = S(4, 2, 3, 3, 3)
loss3 = (T.nnet.relu(conv3d(v, K)) ** 2).mean()
cube = theano.function([v], loss3, updates=sgd(loss3, [K]))
for batch, side in ((6, 20), (6, 20), (3, 16)):
    i = F(batch, 3, side, side)
    auto(abs(i)), pooled(i), siamese(i, F(batch, 3, side, side), (F(batch) > 0).astype(fx)), cube(F(2, 2, 8, side // 2, side // 2))
