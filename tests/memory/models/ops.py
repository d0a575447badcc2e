"""More than a hundred single ops, each a function of its own, called twice with one shape and once with another."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet import bn, neighbours
from theano.tensor.signal.pool import pool_2d, pool_3d

rng, srng = np.random.RandomState(0), MRG_RandomStreams(1)
F = lambda *s: rng.uniform(0.1, 1, s).astype("float32")
I = lambda hi: lambda *s: rng.randint(0, hi, s).astype("int32")
W, Q, B = theano.shared(F(40, 60)), theano.shared(F(40, 40)), theano.shared(F(40))
K, K3 = theano.shared(F(5, 3, 3, 3)), theano.shared(F(5, 3, 2, 2, 2))
v, w, m, n = T.fvector("v"), T.fvector("w"), T.fmatrix("m"), T.fmatrix("n")
t, u, x4, x5 = T.ftensor3("t"), T.ftensor3("u"), T.ftensor4("x4"), T.TensorType("float32", (False,) * 5)("x5")
i, ii, d, h, c, row = T.ivector("i"), T.imatrix("ii"), T.dmatrix("d"), T.matrix("h", "float16"), T.bmatrix("c"), T.frow("row")
M = [(30, 40), (30, 40), (17, 40)]
V = [(500,), (500,), (70,)]
T3 = [(5, 20, 30), (5, 20, 30), (3, 20, 10)]
X4 = [(4, 3, 12, 12), (4, 3, 12, 12), (2, 3, 9, 9)]
X5 = [(2, 3, 6, 6, 6), (2, 3, 6, 6, 6), (1, 3, 5, 5, 5)]
a, b, mm, dd, ss = [(m, M)], [(v, V)], [(m, M), (n, M)], [(d, M)], [(t, T3)]
g = T.grad
ELEMENTWISE = [
    (a, T.exp(m)),
    (a, T.tanh(m) * 2 + 1),
    (a, T.nnet.sigmoid(m)),
    (mm, m + n),
    (mm, T.maximum(m, n) / n),
    (a, m + B),
    (a, T.clip(m, 0.2, 0.8)),
    (a, T.switch(m > 0.5, m, 0)),
    (a, T.eq(m, 0.5)),
    (a, T.cast(m, "int32")),
    (a, T.cast(m, "float64")),
    (dd, d * 2),
    (dd, d + m.sum() if 0 else d**2),
    (a, T.cast(m, "float16")),
    ([(h, M)], h * 2),
    ([(c, M)], c + 1),
    (a, T.isnan(m)),
    (a, T.erf(m)),
    (a, T.nnet.relu(m, 0.1)),
    (a, T.nnet.elu(m)),
    (a, T.nnet.hard_sigmoid(m)),
    (a, T.nnet.ultra_fast_sigmoid(m)),
    (a, T.nnet.softplus(m)),
    (a, [m + 1, m * 2]),
    (a, [T.exp(m), T.exp(m) + 1]),
    (a, m),
    (a, m.T + 1),
    (a, T.sqr(m) + T.sqrt(m) + T.log(m)),
    (b, v[:, None] * v[None, :100]),
    (a, T.addbroadcast(m[:1], 0) + m),
    (a, abs(m) % 3),
    (a, m // 2),
    (a, T.floor(m)),
    (a, T.sgn(m)),
    (a, T.angle(m) if False else T.arctan2(m, 2)),
    (a, T.zeros_like(m)),
    (a, T.fill(m, m[0, 0])),
]
REDUCTIONS = [
    (a, m.sum()),
    (a, m.sum(0)),
    (a, m.sum(1)),
    (a, m.mean()),
    (a, m.mean(0)),
    (a, m.var(1)),
    (a, m.std()),
    (a, m.max()),
    (a, m.max(0)),
    (a, m.min(1)),
    (a, m.argmax(1)),
    (a, m.argmax(0)),
    (a, m.argmax()),
    (a, T.max_and_argmax(m, 1)),
    (a, m.prod()),
    (a, m.norm(2)),
    (a, m.norm(1, axis=1)),
    (ss, t.sum((0, 1))),
    (ss, t.sum((1, 2))),
    (ss, t.sum((0, 2))),
    (ss, t.max((0, 2))),
    (ss, t.mean(1)),
    (ss, t.argmax(1)),
    (dd, d.sum(0)),
    (dd, d.mean()),
    ([(h, M)], h.sum(0)),
    ([(c, M)], c.sum(1)),
    (a, T.any(m > 0.5, 1)),
    (a, T.all(m > 0.5)),
    (a, T.sum(m > 0.5, dtype="float32")),
    (a, m.T.sum(1)),
    (a, m[::2].sum(1)),
    (a, (m * m).sum()),
    (a, T.cumsum(m, 0)),
    (a, T.cumsum(m, 1)),
    (a, T.cumsum(m)),
    (a, T.extra_ops.cumprod(m, 1)),
    (b, T.cumsum(v)),
    (ss, T.cumsum(t, 1)),
    (a, m.sum(0, keepdims=True)),
    ([(x4, X4)], x4.sum((0, 2, 3))),
    ([(x4, X4)], x4.mean((2, 3))),
    ([(x4, X4)], x4.max((1, 3))),
    (a, m.ptp(1)),
    (a, T.nlinalg.trace(m[:, :17])),
]
PRODUCTS = [
    (a, T.dot(m, W)),
    (a, T.dot(m, W) + theano.shared(F(60))),
    (mm, T.dot(m, n.T)),
    (mm, T.dot(m.T, n)),
    (a, T.dot(m, B)),
    (a, T.dot(m, m[0])),
    (b, T.dot(v, v)),
    (b, T.outer(v[:30], v[:40])),
    (a, T.outer(m[0], m[1]) + Q),
    (a, T.dot(m[::2], W)),
    (a, T.dot(m[:, ::-1], W)),
    (a, 2 * T.dot(m, W)),
    (a, T.dot(m, Q) + m),
    (a, m - T.dot(m, Q)),
    (ss, T.dot(t, theano.shared(F(30, 7))) if False else T.dot(t.dimshuffle(0, 2, 1), theano.shared(F(20, 7)))),
    (ss, T.batched_dot(t, t.dimshuffle(0, 2, 1))),
    (ss, T.batched_dot(t[:, ::2], t[:, ::2].dimshuffle(0, 2, 1))),
    (ss, T.tensordot(t, theano.shared(F(20, 9)), [[1], [0]])),
    (mm, T.tensordot(m, n, [[0, 1], [0, 1]])),
    (ss, T.batched_tensordot(t, t, [[1], [1]])),
    (dd, T.dot(d, d.T)),
    (a, T.dot(m, T.cast(Q, "float64"))),
    (a, g(T.dot(m, W).sum(), m)),
    (a, g((T.dot(m, W) ** 2).sum(), W)),
    ([(row, [(1, 40)] * 3)], T.dot(row, W)),
    (a, T.dot(W.T, m.T)),
    (a, T.dot(T.dot(m, Q), T.dot(Q, W))),
]
SHAPES = [
    (a, m.reshape((-1,))),
    (a, m.T.reshape((-1,))),
    (a, m.flatten()),
    (a, m.T.flatten()),
    (ss, t.reshape((t.shape[0] * t.shape[1], t.shape[2]))),
    (ss, t.dimshuffle(2, 0, 1) + 0),
    (ss, t.dimshuffle(2, 0, 1).flatten(2)),
    (mm, T.concatenate([m, n])),
    (mm, T.concatenate([m, n], 1)),
    (mm, T.stack([m, n])),
    (mm, T.join(0, m, n[:0])),
    (a, T.split(m, [10, 30], 2, 1)),
    (a, T.split(m * 2, [10, 30], 2, 1)[0] + 1),
    (a, T.tile(m, (2, 3))),
    (a, T.repeat(m, 2, 0)),
    (a, T.repeat(m, 3, 1)),
    (a, T.eye(20) * m[:17, :20].sum()),
    (a, T.tril(m)),
    (a, T.triu(m, 1)),
    (a, T.identity_like(m) + m),
    (b, T.diag(v)),
    (a, T.diag(m[:, :17])),
    (a, T.alloc(m[0, 0], 50, 60)),
    (a, T.zeros((m.shape[0], 300))),
    (a, T.ones_like(m) * 3),
    (b, T.arange(v.shape[0]) * v),
    (a, m[None, :, :] + 1),
    (a, T.shape_padright(m) * 2),
    (a, T.roll(m, 3, 0)),
    (a, T.swapaxes(m, 0, 1) * 2),
    (a, T.extra_ops.squeeze(m[:1])),
]
INDEXING = [
    (a, m[2:]),
    (a, m[::2, 1:]),
    (a, m[::-1]),
    (a, m[0]),
    (a, m[-1, 3]),
    (a, m[1:3, None, :]),
    (a, T.inc_subtensor(m[2:], 1.0)),
    (a, T.set_subtensor(m[:, 3], 0.0)),
    (a, T.set_subtensor(m[::2], m[::2] * 2)),
    (a, T.inc_subtensor(m[2:5], m[0])),
    (a, T.inc_subtensor(W[:17], 1.0)),
    (a, g(m[2:].sum(), m)),
    (a, g((m[:, ::2] ** 2).sum(), m)),
]
ROWS = [(9,), (9,), (25,)]
RI = [(i, ROWS, I(17))]
INDEXING += [
    (a + RI, m[i]),
    (a + RI, m[:, i]),
    (a + RI, m[i, i]),
    (a + RI, m[i, 2]),
    (a + RI, m[i, 1:4]),
    (ss + [(i, ROWS, I(3))], t[i]),
    (ss + [(i, ROWS, I(3))], t[:, i]),
    (ss + [(i, ROWS, I(3))], t[:, :, i]),
    (ss + [(i, ROWS, I(3))], t[i, :, i]),
    (ss + [(i, ROWS, I(3))], t[i, i]),
    (a + RI, T.inc_subtensor(m[i], 1.0)),
    (a + RI, T.inc_subtensor(m[i], m[:1])),
    (a + RI, T.set_subtensor(m[i], 0.0)),
    (a + RI, T.inc_subtensor(m[i, i], 1.0)),
    (a + RI, T.inc_subtensor(m[:, i], 1.0)),
    (a + RI, g((m[i] ** 2).sum(), m)),
    (a + RI, g((m[i, i] ** 2).sum(), m)),
    (a + [(ii, [(4, 5), (4, 5), (2, 3)], I(17))], m[ii]),
    (a + [(ii, [(4, 5), (4, 5), (2, 3)], I(17))], T.take(m, ii, axis=1)),
    (a + RI, g((m[:, i] ** 2).sum(), m)),
    (RI, W[i]),
    (RI, T.inc_subtensor(W[i], 1.0)),
    (RI, g((W[i] ** 2).sum(), W)),
    (a + RI, m.take(i)),
    (a, m[:, [1, 3, 5]]),
    (a, m[[0, 2]]),
]
NETS = [
    (a, T.nnet.softmax(m)),
    (a, T.log(T.nnet.softmax(m))),
    (a, T.nnet.logsoftmax(m)),
    (a, g(T.log(T.nnet.softmax(m))[:, 0].sum(), m)),
    (a, T.nnet.softmax(m + B)),
    (mm, T.nnet.binary_crossentropy(T.nnet.sigmoid(m), n).mean()),
    (a + [(i, [(30,), (30,), (17,)], I(40))], T.nnet.categorical_crossentropy(T.nnet.softmax(m), i).mean()),
    (a + [(i, [(30,), (30,), (17,)], I(40))], g(T.nnet.categorical_crossentropy(T.nnet.softmax(m), i).mean(), m)),
    (mm, T.nnet.categorical_crossentropy(T.nnet.softmax(m), n).mean()),
    ([(i, [(30,), (30,), (17,)], I(8))], T.extra_ops.to_one_hot(i, 8)),
    (ss, T.nnet.softmax(t.reshape((-1, t.shape[2])))),
    (a, m * srng.uniform(m.shape)),
    (a, m + srng.normal(m.shape)),
    (a, m * srng.binomial(m.shape, p=0.5, dtype="float32")),
    (a, srng.multinomial(pvals=T.nnet.softmax(m), dtype="float32")),
    (a, srng.choice(size=3, replace=False, p=T.nnet.softmax(m))),
    (a, T.sort(m, 1)),
    (a, T.argsort(m, 1)),
    (a, T.sort(m, 0)),
    (a, T.topk(m, 3, sorted=False)),
    (a, T.argtopk(m, 3, sorted=False)),
    (a, T.nlinalg.matrix_inverse(Q) * m[0, 0]),
    (a, bn.batch_normalization_train(m, B.dimshuffle("x", 0), B.dimshuffle("x", 0))[0]),
    (a, bn.batch_normalization_test(m, B[None, :], B[None, :], B[None, :], B[None, :])),
    (a, (m - m.mean(0)) / m.std(0)),
    (a, g(m.norm(2), m)),
]
p4 = [(x4, X4)]
CONVS = [
    (p4, T.nnet.conv2d(x4, K)),
    (p4, T.nnet.conv2d(x4, K, border_mode="half")),
    (p4, T.nnet.conv2d(x4, K, border_mode="full")),
    (p4, T.nnet.conv2d(x4, K, subsample=(2, 2))),
    (p4, T.nnet.conv2d(x4, K, filter_dilation=(2, 2))),
    (p4, T.nnet.conv2d(x4, K, filter_flip=False)),
    (p4, T.nnet.conv2d(x4[:, :2], theano.shared(F(6, 1, 3, 3)), num_groups=2)),
    (p4, T.nnet.conv2d(x4, theano.shared(F(7, 3, 1, 1)))),
    (p4, g(T.nnet.conv2d(x4, K).sum(), x4)),
    (p4, g((T.nnet.conv2d(x4, K) ** 2).sum(), K)),
    (p4, g((T.nnet.conv2d(x4, K, subsample=(2, 2), border_mode=(1, 1)) ** 2).sum(), [x4, K])),
    ([(x5, X5)], T.nnet.conv3d(x5, K3)),
    ([(x5, X5)], g((T.nnet.conv3d(x5, K3) ** 2).sum(), [x5, K3])),
    (p4, pool_2d(x4, (2, 2), ignore_border=True)),
    (p4, pool_2d(x4, (3, 3), stride=(2, 2), pad=(1, 1), ignore_border=True)),
    (p4, pool_2d(x4, (2, 2), ignore_border=True, mode="average_exc_pad")),
    (p4, pool_2d(x4, (2, 2), ignore_border=False)),
    (p4, g(pool_2d(x4, (2, 2), ignore_border=True).sum(), x4)),
    (p4, g((pool_2d(x4, (2, 2), ignore_border=True, mode="average_inc_pad") ** 2).sum(), x4)),
    ([(x5, X5)], pool_3d(x5, (2, 2, 2), ignore_border=True)),
    (p4, neighbours.images2neibs(x4[:, :, :8, :8], (2, 2))),
    (p4, T.nnet.abstract_conv.bilinear_upsampling(x4, 2, batch_size=None, num_input_channels=3)),
    (p4, T.nnet.abstract_conv.conv2d_grad_wrt_inputs(T.nnet.conv2d(x4, K), K, (None, 3, x4.shape[2], x4.shape[3]))),
    (p4, T.extra_ops.repeat(T.extra_ops.repeat(x4, 2, 2), 2, 3)),
    (p4, x4[:, :, ::-1] * 2),
    (p4, x4.dimshuffle(1, 0, 2, 3).flatten(2).sum(1)),
    (p4, T.nnet.conv2d(x4[:, :, ::2], K)),
]


def values(inputs, step):
    return [row[2](*row[1][step]) if len(row) > 2 else F(*row[1][step]).astype(row[0].dtype) for row in inputs]


if __name__ == "__main__":
    functions = []  # none is dropped: when its constants go would depend on the garbage collector
    for family in (ELEMENTWISE, REDUCTIONS, PRODUCTS, SHAPES, INDEXING, NETS, CONVS):
        for inputs, out in family:
            fn = theano.function([row[0] for row in inputs], out, on_unused_input="ignore")
            for step in range(3):
                fn(*values(inputs, step))
            functions.append(fn)
