"""Compiles functions of many families, none of which is called: `python gpu_functions.py [NAME...]`. CPython 2.7 and 3."""

import sys

import numpy as np
import theano
import theano.tensor as T
from theano.ifelse import ifelse
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.nnet import bn
from theano.tensor.signal.pool import pool_2d, pool_3d

rng = np.random.RandomState(0)
F = lambda *s: rng.rand(*s).astype("float32")
K = lambda *sh: theano.shared(F(*sh))
x, y, v, w = T.fmatrix("x"), T.fmatrix("y"), T.fvector("v"), T.fvector("w")
x3, y3, x4, x5 = T.ftensor3("x3"), T.ftensor3("y3"), T.ftensor4("x4"), T.TensorType("float32", (False,) * 5)("x5")
i1, i2, h, d, z, b, s, n = (
    T.ivector("i1"),
    T.imatrix("i2"),
    T.matrix("h", dtype="float16"),
    T.dmatrix("d"),
    T.cmatrix("z"),
    T.bmatrix("b"),
    T.fscalar("s"),
    T.iscalar("n"),
)
srng = MRG_RandomStreams(1)
Sm = theano.shared(F(6, 7), name="Sm")
conv = T.nnet.conv2d


def sgd(cost, params):
    return [(p, p - np.float32(0.1) * g) for p, g in zip(params, T.grad(cost, params))]


def rnn(hid=5, **kw):
    W, U = K(4, hid), K(hid, hid)
    first = T.alloc(np.float32(0), x3.shape[1], hid)
    hs, up = theano.scan(lambda a, q, U: T.tanh(T.dot(a, W) + T.dot(q, U)), sequences=x3, outputs_info=first, non_sequences=U, **kw)
    return hs, [W, U], up


def rnn_grad(**kw):
    hs, ps, _ = rnn(**kw)
    c = (hs[-1] ** 2).sum()
    return [x3], c, sgd(c, ps)


def rbm():
    W, bh, bv = K(6, 5), K(5), K(6)

    def gibbs(vv):
        hh = srng.binomial(T.nnet.sigmoid(T.dot(vv, W) + bh).shape, p=T.nnet.sigmoid(T.dot(vv, W) + bh), dtype="float32")
        pv = T.nnet.sigmoid(T.dot(hh, W.T) + bv)
        return srng.binomial(pv.shape, p=pv, dtype="float32")

    chain, up = theano.scan(gibbs, outputs_info=x, n_steps=3)
    fe = lambda q: -T.dot(q, bv).sum() - T.nnet.softplus(T.dot(q, W) + bh).sum()
    e = chain[-1]
    c = fe(x) - fe(e)
    g = T.grad(c, [W, bh, bv], consider_constant=[e])
    return [x], c, list(up.items()) + [(p, p - np.float32(0.1) * q) for p, q in zip([W, bh, bv], g)]


def attention():
    q, k, u = T.dot(x, Sm[:4, :4]), T.dot(y, Sm[1:5, :4]), T.dot(y, Sm[:4, 1:])
    return [x, y], T.dot(T.nnet.softmax(T.dot(q, k.T) / np.float32(2)), u)


def dropout():
    m = srng.binomial(x.shape, p=0.5, dtype="float32")
    c = (x * m).sum()
    return [x], [c, T.grad(c, x)]


def adam():
    W = K(4, 3)
    c = (T.dot(x, W) ** 2).sum()
    g = T.grad(c, W)
    m, vv, t = K(4, 3), K(4, 3), theano.shared(np.float32(0))
    t1 = t + 1
    m1 = np.float32(0.9) * m + np.float32(0.1) * g
    v1 = np.float32(0.999) * vv + np.float32(0.001) * g * g
    return [x], c, [(m, m1), (vv, v1), (t, t1), (W, W - m1 * T.sqrt(1 - np.float32(0.999) ** t1) / (T.sqrt(v1) + np.float32(1e-8)))]


def bn_net():
    g, be, mu, va = K(3), K(3), K(3), K(3)
    o, m, i, rm, rv = bn.batch_normalization_train(
        x4,
        g.dimshuffle("x", 0, "x", "x"),
        be.dimshuffle("x", 0, "x", "x"),
        axes="spatial",
        running_mean=mu.dimshuffle("x", 0, "x", "x"),
        running_var=va.dimshuffle("x", 0, "x", "x"),
    )
    c = (o**2).sum()
    return [x4], c, sgd(c, [g, be]) + [(mu, rm.dimshuffle(1)), (va, rv.dimshuffle(1))]


def swap():
    a, c = K(3, 3), K(3, 3)
    return [], [], [(a, c), (c, a)]


def pinned():
    D = K(50, 4)
    return [n], (D[n * 10 : (n + 1) * 10] ** 2).sum()


def ffm():
    W = K(4, 3)
    a = T.dot(x, W)
    return [x], [T.dot(a.T, a), a.sum(0), T.outer(a[:, 0], a[0])]


def conv_grad(net=conv, dims=4, wshape=(5, 3, 3, 3), **kw):
    W = theano.shared(F(*wshape))
    xx = x4 if dims == 4 else x5
    c = (net(xx, W, **kw) ** 2).sum()
    return [xx], [c, T.grad(c, xx)], [(W, W - T.grad(c, W))]


def pool_grad(**kw):
    c = (pool_2d(x4, (2, 2), ignore_border=True, **kw) ** 2).sum()
    return [x4], T.grad(c, x4)


def ofg():
    a, c = T.fmatrices("a", "c")
    op = theano.OpFromGraph([a, c], [T.dot(a, c) + 1], inline=False)
    return [x, y], op(x, y) * 2


O = lambda ins, out: lambda: (ins, out())
CASES = [
    ("elemwise", O([x], lambda: T.exp(x) + 1)),
    ("sum all", O([x], lambda: x.sum())),
    ("sum axis0", O([x], lambda: x.sum(0))),
    ("sum axis1", O([x], lambda: x.sum(1))),
    ("sum 3d", O([x3], lambda: x3.sum([0, 2]))),
    ("max", O([x], lambda: x.max(1))),
    ("argmax", O([x], lambda: T.argmax(x, 1))),
    ("max and argmax", O([x], lambda: T.max_and_argmax(x, 0))),
    ("prod float64", O([x], lambda: T.cast(x, "float64").prod())),
    ("mean var", O([x], lambda: [x.mean(), x.var(0), x.std(1)])),
    ("dot", O([x, y], lambda: T.dot(x, y))),
    ("gemv", O([x, v], lambda: T.dot(x, v))),
    ("dot vv", O([v, w], lambda: T.dot(v, w))),
    ("ger", O([v, w], lambda: Sm[:4, :4] + T.outer(v, w))),
    ("gemm", O([x, y], lambda: Sm + np.float32(0.5) * T.dot(x, y))),
    ("batched_dot", O([x3, y3], lambda: T.batched_dot(x3, y3))),
    ("tensordot", O([x3, y3], lambda: T.tensordot(x3, y3, [[2], [1]]))),
    ("double", O([d], lambda: T.dot(d, d).sum())),
    ("complex", O([z], lambda: z * 2)),
    ("int8", O([b], lambda: (b + 1).sum())),
    ("half", O([h], lambda: T.dot(h, h).sum())),
    ("half conv", O([x4], lambda: conv(T.cast(x4, "float16"), T.cast(K(5, 3, 3, 3), "float16")))),
    ("softmax", O([x], lambda: T.nnet.softmax(x))),
    ("softmax grad", O([x], lambda: T.grad(T.log(T.nnet.softmax(x))[:, 0].sum(), x))),
    ("logsoftmax", O([x], lambda: T.nnet.logsoftmax(x))),
    ("softmax bias", O([x, v], lambda: T.nnet.softmax(x + v))),
    ("join", O([x, y], lambda: T.concatenate([x, y], 0))),
    ("split", O([x], lambda: T.split(x, [1, 2], 2, 0))),
    ("stack", O([x, y], lambda: T.stack([x, y]))),
    ("subtensor", O([x], lambda: x[1:, ::2])),
    ("inc_subtensor", O([x], lambda: T.inc_subtensor(x[1:], 2.0))),
    ("set_subtensor", O([x], lambda: T.set_subtensor(x[1], 2.0))),
    ("subtensor grad", O([x, n], lambda: T.grad((x[n:] ** 2).sum(), x))),
    ("advsub1", O([x, i1], lambda: x[i1])),
    ("advincsub1", O([x, i1, y], lambda: T.inc_subtensor(x[i1], y))),
    ("advsetsub1", O([x, i1, y], lambda: T.set_subtensor(x[i1], y))),
    ("advsub", O([x, i1], lambda: x[i1, i1])),
    ("advincsub", O([x, i1, v], lambda: T.inc_subtensor(x[i1, i1], v))),
    ("advsub mixed", O([x3, i1], lambda: x3[i1, :, i1])),
    ("advincsub1 cpu index", O([i1, y], lambda: T.inc_subtensor(Sm[i1], y))),
    ("advbool", O([x], lambda: x[(x > 0.5).nonzero()])),
    ("take 2d", O([x, i2], lambda: T.take(x, i2, axis=0))),
    ("diag", O([x], lambda: T.diag(x))),
    ("alloc diag", O([v], lambda: T.diag(v))),
    ("eye", O([], lambda: T.eye(4, 5, 0) * Sm[:4, :5])),
    ("tri", O([x], lambda: T.tril(x))),
    ("cumsum", O([x], lambda: T.cumsum(x, 0))),
    ("cumprod", O([x], lambda: T.extra_ops.cumprod(x, 1))),
    ("cumsum flat", O([x], lambda: T.cumsum(x))),
    ("sort", O([x], lambda: T.sort(x, 1))),
    ("topk", O([x], lambda: T.topk(x, 3, sorted=False))),
    ("repeat", O([x], lambda: T.repeat(x, 2, 0))),
    ("tile", O([x], lambda: T.tile(x, (2, 2)))),
    ("alloc", O([s, n], lambda: T.alloc(s, n, 3) + Sm[:n, :3])),
    ("reshape", O([x], lambda: x.reshape((2, -1)) * 2)),
    ("flatten", O([x3], lambda: x3.flatten(2) + 1)),
    ("dimshuffle", O([x], lambda: T.exp(x.T) + Sm.T[:, :1])),
    ("transpose dot", O([x, y], lambda: T.dot(x.T, y.T))),
    ("mrg uniform", O([x], lambda: x * srng.uniform(x.shape))),
    ("mrg normal", O([x], lambda: x + srng.normal(x.shape))),
    ("mrg binomial", O([x], lambda: x * srng.binomial(x.shape, p=0.5, dtype="float32"))),
    ("mrg fixed", O([x], lambda: x + srng.uniform((4, 4)))),
    ("mrg choice", O([x], lambda: srng.choice(size=2, a=None, replace=False, p=x, ndim=None, dtype="int64"))),
    ("multinomial", O([x], lambda: srng.multinomial(pvals=x, dtype="float32"))),
    ("raw random", O([x], lambda: x * T.shared_randomstreams.RandomStreams(3).uniform(x.shape))),
    ("conv2d valid", O([x4], lambda: conv(x4, K(5, 3, 3, 3)))),
    ("conv2d full", O([x4], lambda: conv(x4, K(5, 3, 3, 3), border_mode="full"))),
    ("conv2d half", O([x4], lambda: conv(x4, K(5, 3, 3, 3), border_mode="half"))),
    ("conv2d pad", O([x4], lambda: conv(x4, K(5, 3, 3, 3), border_mode=(1, 2)))),
    ("conv2d asym pad", O([x4], lambda: conv(x4, K(5, 3, 3, 3), border_mode=((1, 0), (0, 2))))),
    ("conv2d strides", O([x4], lambda: conv(x4, K(5, 3, 3, 3), subsample=(2, 2)))),
    ("conv2d dilated", O([x4], lambda: conv(x4, K(5, 3, 3, 3), filter_dilation=(2, 2)))),
    ("conv2d groups", O([x4], lambda: conv(x4, K(6, 2, 3, 3), num_groups=2))),
    (
        "conv2d unshared",
        O([x4], lambda: conv(x4, K(5, 6, 6, 3, 3, 3), input_shape=(2, 3, 8, 8), filter_shape=(5, 6, 6, 3, 3, 3), unshared=True)),
    ),
    ("conv2d shapes", O([x4], lambda: conv(x4, K(5, 3, 3, 3), input_shape=(2, 3, 8, 8), filter_shape=(5, 3, 3, 3)))),
    ("conv2d noflip", O([x4], lambda: conv(x4, K(5, 3, 3, 3), filter_flip=False))),
    ("conv2d 1x1", O([x4], lambda: conv(x4, K(5, 3, 1, 1)))),
    ("conv2d grads", conv_grad),
    ("conv2d grads strided", lambda: conv_grad(subsample=(2, 2), border_mode="half")),
    ("conv2d grads dilated", lambda: conv_grad(filter_dilation=(2, 2))),
    ("conv2d grads shapes", lambda: conv_grad(input_shape=(2, 3, 8, 8), filter_shape=(5, 3, 3, 3))),
    ("conv3d", O([x5], lambda: T.nnet.conv3d(x5, K(5, 3, 2, 2, 2)))),
    ("conv3d half", O([x5], lambda: T.nnet.conv3d(x5, K(5, 3, 3, 3, 3), border_mode="half", subsample=(2, 1, 1)))),
    ("conv3d grads", lambda: conv_grad(T.nnet.conv3d, 5, (5, 3, 2, 2, 2))),
    ("pool max", O([x4], lambda: pool_2d(x4, (2, 2), ignore_border=True))),
    ("pool avg", O([x4], lambda: pool_2d(x4, (2, 2), ignore_border=True, mode="average_exc_pad"))),
    ("pool border", O([x4], lambda: pool_2d(x4, (2, 2), ignore_border=False))),
    ("pool pad stride", O([x4], lambda: pool_2d(x4, (3, 3), ignore_border=True, stride=(2, 2), pad=(1, 1)))),
    ("pool sum", O([x4], lambda: pool_2d(x4, (2, 2), ignore_border=True, mode="sum"))),
    ("pool max grad", pool_grad),
    ("pool avg grad", lambda: pool_grad(mode="average_inc_pad")),
    ("pool 3d", O([x5], lambda: pool_3d(x5, (2, 2, 2), ignore_border=True))),
    ("pool gradgrad", O([x4], lambda: T.grad(T.grad((pool_2d(x4, (2, 2), ignore_border=True) ** 2).sum(), x4).sum(), x4))),
    ("bn train", bn_net),
    ("bn train vec", O([x], lambda: bn.batch_normalization_train(x, Sm[0, :4].dimshuffle("x", 0), Sm[1, :4].dimshuffle("x", 0))[0])),
    ("bn test", O([x4], lambda: bn.batch_normalization_test(x4, *[K(3).dimshuffle("x", 0, "x", "x") for _ in range(4)], axes="spatial"))),
    ("images2neibs", O([x4], lambda: T.nnet.neighbours.images2neibs(x4, (2, 2)))),
    ("ifelse", O([x, n], lambda: ifelse(T.eq(n, 0), x * 2, T.dot(x, x)))),
    ("ifelse many", O([x, n], lambda: ifelse(T.gt(n, 0), [x * 2, x.sum()], [T.dot(x, x), x.max()]))),
    ("switch", O([x], lambda: T.switch(x > 0.5, x, 0))),
    ("scan cumulative", O([x], lambda: theano.scan(lambda a, q: a + q, sequences=x, outputs_info=T.zeros_like(x[0]))[0])),
    (
        "scan while",
        O(
            [x],
            lambda: theano.scan(
                lambda a, q: (a + q, theano.scan_module.until(T.gt((a + q).sum(), 3))), sequences=x, outputs_info=T.zeros_like(x[0])
            )[0],
        ),
    ),
    ("scan map", O([x], lambda: theano.map(lambda a: (a**2).sum(), x)[0])),
    ("scan rnn", lambda: ([x3], rnn()[0])),
    ("scan rnn grad", rnn_grad),
    ("scan rnn truncated", lambda: rnn_grad(truncate_gradient=3)),
    ("scan backwards", lambda: rnn_grad(go_backwards=True)),
    ("scan strict gc", lambda: rnn_grad(allow_gc=True)),
    ("scan random", O([x], lambda: theano.scan(lambda a: a * srng.uniform((4,)), sequences=x)[0])),
    ("scan taps", O([x], lambda: theano.scan(lambda a, p, q: a + p * q, sequences=x, outputs_info=dict(initial=x[:2], taps=[-2, -1]))[0])),
    (
        "scan nested",
        O(
            [x3],
            lambda: theano.scan(
                lambda m: theano.scan(lambda r, q: r + q, sequences=m, outputs_info=T.zeros_like(m[0]))[0][-1], sequences=x3
            )[0],
        ),
    ),
    ("norm grad", O([x], lambda: T.grad(x.norm(2), x))),
    ("crossentropy", O([x, i1], lambda: T.grad(T.nnet.categorical_crossentropy(T.nnet.softmax(x), i1).mean(), x))),
    ("binary crossentropy", O([x], lambda: T.nnet.binary_crossentropy(T.nnet.sigmoid(x), 0.3).mean())),
    ("cholesky", O([x], lambda: T.slinalg.cholesky(x))),
    ("svd", O([x], lambda: T.nlinalg.svd(x))),
    ("matrix_inverse", O([x], lambda: T.nlinalg.matrix_inverse(x))),
    ("solve", O([x, y], lambda: T.slinalg.solve(x, y))),
    ("rfft", O([x], lambda: T.fft.rfft(x))),
    ("float16", O([x], lambda: T.dot(T.cast(x, "float16"), T.cast(x, "float16")))),
    ("int ops", O([i2], lambda: (i2 * 2 + 1).sum())),
    ("one hot", O([i1], lambda: T.extra_ops.to_one_hot(i1, 5) + Sm[:, :5])),
    ("clip round", O([x], lambda: T.clip(T.round(x), 0, 1))),
    ("erf gamma", O([x], lambda: T.erf(x) + T.gamma(x))),
    ("blocksparse", O([x3, i2], lambda: T.nnet.blocksparse.sparse_block_dot(K(2, 3, 4, 5), x3, i2, K(3, 5), i2))),
    ("rbm", rbm),
    ("attention", attention),
    ("dropout", dropout),
    ("adam", adam),
    ("swap", swap),
    ("pinned", pinned),
    ("many outputs", ffm),
    ("opfromgraph", ofg),
    ("spatialtf", O([x4, x3], lambda: T.nnet.abstract_conv.bilinear_upsampling(x4, 2))),
    ("shape", O([x], lambda: [x.shape, x.shape[0] * x.sum()])),
    ("constant", O([x], lambda: x + T.constant(F(3, 4)))),
    ("const only", O([], lambda: T.exp(T.constant(F(3, 4))) * Sm[:3, :4])),
    ("const fold", O([x], lambda: x + T.dot(T.constant(F(3, 4)), T.constant(F(4, 2))).sum())),
    ("const chain", O([x], lambda: T.nnet.softmax(T.as_tensor_variable(F(4, 4)).transfer(None)) + x)),
]


def mlp():
    W1, b1, W2, b2 = K(784, 50), K(50), K(50, 10), K(10)
    p = T.nnet.softmax(T.dot(T.tanh(T.dot(x, W1) + b1), W2) + b2)
    c = T.nnet.categorical_crossentropy(p, i1).mean()
    return [x, i1], c, sgd(c, [W1, b1, W2, b2])


def lstm(H=6):
    W, U, q, V = K(4, 4 * H), K(H, 4 * H), K(4 * H), K(H, 5)

    def step(x_t, h, s, U):
        z = x_t + T.dot(h, U)
        i, f, o, g = [z[:, k * H : (k + 1) * H] for k in range(4)]
        s = T.nnet.sigmoid(f) * s + T.nnet.sigmoid(i) * T.tanh(g)
        return T.nnet.sigmoid(o) * T.tanh(s), s

    z0 = T.alloc(np.float32(0), x3.shape[1], H)
    (hs, ss), _ = theano.scan(step, sequences=[T.dot(x3, W) + q], outputs_info=[z0, z0], non_sequences=[U])
    c = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(hs[-1], V)), i1).mean()
    return [x3, i1], c, sgd(c, [W, U, q, V])


def vgg():
    params, a, channels = [], x4, 3
    for width, depth in ((8, 2), (16, 2)):
        for _ in range(depth):
            W, q = K(width, channels, 3, 3), K(width)
            params, channels = params + [W, q], width
            a = T.nnet.relu(conv(a, W, border_mode="half") + q.dimshuffle("x", 0, "x", "x"))
        a = pool_2d(a, (2, 2), ignore_border=True)
    W, q = K(64, 10), K(10)
    a = a.flatten(2)
    a = a * srng.binomial(a.shape, p=0.5, dtype="float32") * np.float32(2)
    c = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(a, W) + q), i1).mean()
    return [x4, i1], c, sgd(c, params + [W, q])


CASES += [("mlp", mlp), ("lstm", lstm), ("vgg", vgg)]


def compiled(names=()):
    """(name, function) for each case that this Theano can build."""
    for name, case in CASES:
        if not names or name in names:
            try:
                made = case()
            except (AttributeError, TypeError):  # not in this version
                continue
            ins, out, updates = made if len(made) == 3 else made + ([],)
            yield name, theano.function(ins, out, updates=updates, on_unused_input="ignore", name=name)


if __name__ == "__main__":
    kept = list(compiled(sys.argv[1:]))
