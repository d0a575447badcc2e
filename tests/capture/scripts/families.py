"""Functions of many families of Ops, for whichever framework runs this, with the arguments to call them with."""

import importlib

import numpy as np


def rand(*shape):
    """Numbers to compute with."""
    return np.random.RandomState(0).uniform(0.1, 1, shape).astype("float32")


class Kit(object):
    """The names of a framework that the families need, wherever it keeps them."""

    def __init__(self, package):
        self.package = package
        self.root = importlib.import_module(package)
        self.T = importlib.import_module(package + ".tensor")

    def part(self, *names):
        """The first module of these below the framework's package that exists."""
        for name in names:
            try:
                return importlib.import_module(self.package + "." + name)
            except ImportError:
                continue
        raise NotImplementedError(names[0])

    def named(self, *names):
        """The first function of these names in the modules of linear algebra."""
        modules = [self.optional(m) for m in ("tensor.linalg", "tensor.nlinalg", "tensor.slinalg")] + [self.T]
        return next(getattr(m, name) for name in names for m in modules if hasattr(m, name))

    def optional(self, name):
        """A module below the framework's package, or None."""
        try:
            return self.part(name)
        except NotImplementedError:
            return None

    def __getattr__(self, name):
        return getattr(self.T, name)


FAMILIES = {}


def family(function):
    """Registers a builder: Kit -> (inputs, outputs, arguments[, updates])."""
    FAMILIES[function.__name__] = function
    return function


@family
def elemwise(k):
    x, y, v = k.fmatrix("x"), k.fmatrix("y"), k.fvector("v")
    z = k.tanh(x + v) * y - k.sqr(x) if hasattr(k.T, "sqr") else k.tanh(x + v) * y - x**2
    return [x, y, v], [z, z.sum(axis=0), k.exp(x), x / (y + 1), k.maximum(x, 0) + v.dimshuffle("x", 0)], [rand(3, 4), rand(3, 4), rand(4)]


@family
def complex_casts(k):
    x = k.fmatrix("x")
    return [x], [k.T.cast(k.T.stack([x.shape[0], x.shape[1]]), "complex128"), x * 2], [rand(3, 4)]


@family
def reductions(k):
    x = k.ftensor3("x")
    outs = [x.sum(), x.sum(axis=1), x.max(axis=(0, 2)), x.mean(axis=0, keepdims=True), x.prod(axis=-1), k.argmax(x, axis=1), x.min(axis=0)]
    return [x], outs + [x.std(axis=1), k.all(x > 0, axis=0), k.any(x > 0)], [rand(2, 3, 4)]


@family
def max_and_argmax(k):
    x = k.fmatrix("x")
    return [x], list(k.max_and_argmax(x, axis=1)) + [k.argmin(x, axis=0)], [rand(3, 4)]


@family
def products(k):
    x, w, v = k.fmatrix("x"), k.fmatrix("w"), k.fvector("v")
    outs = [k.dot(x, w), k.dot(x, w) * np.float32(2), k.dot(v, w), k.dot(x, v), k.dot(v, v), k.outer(v, v), 2 * k.dot(x, v) + x[:, 0]]
    return [x, w, v], outs, [rand(5, 3), rand(3, 4), rand(3)]


@family
def tensor_products(k):
    a, b = k.ftensor3("a"), k.ftensor3("b")
    outs = [k.tensordot(a, b, axes=[[2], [1]]), k.tensordot(a, a, axes=[[0, 1], [0, 1]])]
    return [a, b], outs + [k.batched_dot(a, b)] if hasattr(k.T, "batched_dot") else outs + [k.matmul(a, b)], [rand(2, 3, 4), rand(2, 4, 5)]


@family
def updates(k):
    x, w = k.fmatrix("x"), k.root.shared(rand(3, 4), "w")
    cost = (k.dot(x, w) ** 2).sum()
    return [x], [cost], [rand(5, 3)], [(w, w - np.float32(0.1) * k.root.gradient.grad(cost, w))]


@family
def subtensors(k):
    x, i, n = k.ftensor3("x"), k.iscalar("i"), k.lscalar("n")
    outs = [
        x[0],
        x[i],
        x[-1, :, 1:],
        x[:n],
        x[i:n],
        x[::2],
        x[::-1],
        x[1:-1, n - 1],
        x[:, :, i : i + 2],
        x[n:],
        x[:-n],
        x[i : x.shape[0] : 2],
    ]
    return [x, i, n], [o + 1 for o in outs], [rand(5, 4, 6), np.int32(1), 3]


@family
def assignments(k):
    x, i, v = k.fmatrix("x"), k.lvector("i"), k.fvector("v")
    outs = [
        k.set_subtensor(x[1:3], 0),
        k.inc_subtensor(x[:, 0], 1),
        k.inc_subtensor(x[i], 1),
        k.set_subtensor(x[i, i], v),
        k.inc_subtensor(x[0], v[:4]),
    ]
    return [x, i, v], outs, [rand(5, 4), np.array([0, 2, 1, 3]), rand(4)]


@family
def advanced(k):
    x, i, j = k.ftensor3("x"), k.lvector("i"), k.lmatrix("j")
    outs = [x[i], x[j], x[i, i], x[:, i], x[0, i], x[i, :, i], k.take(x, i, axis=1), x.take(j, axis=0)]
    return [x, i, j], outs, [rand(4, 4, 5), np.array([0, 2, 3]), np.array([[0, 1], [1, 2], [3, 3]])]


@family
def reshapes(k):
    x, n = k.ftensor3("x"), k.iscalar("n")
    outs = [
        x.reshape((x.shape[0], -1)),
        x.flatten(),
        x.flatten(2),
        x.reshape((n, 3, -1)),
        x.dimshuffle(2, 0, "x", 1),
        k.shape_padleft(x),
        x.T,
    ]
    return (
        [x, n],
        outs + [k.shape_padright(x), k.swapaxes(x, 0, 1), x.reshape((x.shape[1] * x.shape[2], x.size // (x.shape[1] * x.shape[2])))],
        [rand(2, 3, 4), np.int32(4)],
    )


@family
def creation(k):
    x, n, m = k.fmatrix("x"), k.lscalar("n"), k.iscalar("m")
    outs = [
        k.zeros((n, m)),
        k.ones_like(x),
        k.alloc(np.float32(3), n, x.shape[1], m),
        k.arange(n),
        k.arange(m, n, 2),
        k.eye(n),
        k.eye(n, m, 1),
    ]
    return (
        [x, n, m],
        [o + 1 for o in outs] + [k.zeros_like(x)[: n - 1], k.arange(x.shape[0]) * 2, k.ones(x.shape) + x],
        [rand(3, 4), 5, np.int32(2)],
    )


@family
def joins(k):
    x, y = k.fmatrix("x"), k.fmatrix("y")
    outs = [k.concatenate([x, y], axis=0), k.concatenate([x, x], axis=1), k.stack([x, x]), k.stack([x, x], axis=1), k.join(-1, x, x)]
    return [x, y], outs + [k.vertical_stack(x, y)] if hasattr(k.T, "vertical_stack") else outs, [rand(2, 3), rand(4, 3)]


@family
def splits(k):
    x, n = k.fmatrix("x"), k.lscalar("n")
    parts = []
    for sizes in ([2, 3], k.stack([n, 5 - n])):
        try:
            parts += k.split(x, sizes, 2, axis=1)
        except TypeError:  # PyTensor 3 has no number of splits
            parts += k.split(x, sizes if isinstance(sizes, list) else k.T.specify_shape(sizes, (2,)), axis=1)
    return [x, n], [o * 2 for o in parts], [rand(2, 5), 4]


@family
def repeats(k):
    x, n = k.fmatrix("x"), k.lscalar("n")
    return [x, n], [k.tile(x, (2, 3)), k.repeat(x, 3, axis=0), k.repeat(x, n, axis=1), k.repeat(x, 2)], [rand(2, 3), 4]


@family
def sorting(k):
    x = k.fmatrix("x")
    return [x], [k.sort(x, axis=0), k.argsort(x, axis=1), k.sort(x, axis=None)], [rand(4, 3)]


@family
def topk(k):
    x = k.fmatrix("x")
    return [x], list(k.topk_and_argtopk(x, 2, axis=1, sorted=False)), [rand(4, 3)]


@family
def cumulated(k):
    x = k.fmatrix("x")
    part = k.part("tensor.extra_ops")
    return (
        [x],
        [
            part.cumsum(x, axis=0),
            part.cumprod(x, axis=1),
            part.cumsum(x),
            part.diff(x, axis=0),
            part.bincount(k.cast(x.flatten(), "int64"), minlength=3),
        ][:4],
        [rand(4, 3)],
    )


@family
def uniques(k):
    x = k.fvector("x")
    unique = k.part("tensor.extra_ops").Unique
    return [x], [unique()(x) * 2] + list(unique(return_inverse=True)(x))[1:], [np.array([1, 2, 1, 3, 1], "float32")]


@family
def masks(k):
    x, m = k.fmatrix("x"), k.fmatrix("m")
    outs = [o * 2 for o in (x > 0.5).nonzero()] + [x[(m > 0.5).nonzero()] * 2]
    return [x, m], outs, [rand(4, 3), rand(4, 3)]


@family
def boolean_masks(k):
    x, m = k.ftensor3("x"), k.fmatrix("m")
    return [x, m], [x[m > 0.5] * 2, x[m[:, 0] > 0.5].sum(axis=0), (x[m > 0.5] + 1).reshape((-1,))], [rand(4, 3, 2), rand(4, 3)]


@family
def linear_algebra(k):
    x = k.fmatrix("x")
    inverse, det, cholesky, solve = k.named("matrix_inverse", "inv"), k.named("det"), k.named("cholesky"), k.named("solve")
    spd = k.dot(x, x.T) + k.eye(3)
    outs = [inverse(spd), det(spd), cholesky(spd), solve(spd, x), k.named("pinv")(x), k.named("expm")(spd), k.named("kron")(x, x)]
    return [x], outs + list(k.named("svd")(x)) + list(k.named("qr")(x)) + list(k.named("eigh")(spd)), [rand(3, 3)]


@family
def diagonals(k):
    x, v = k.fmatrix("x"), k.fvector("v")
    return [x, v], [k.diag(x), k.diag(v), k.diagonal(x, 1), k.triu(x), k.tril(x)], [rand(3, 4), rand(3)]


@family
def classifier(k):
    x, w, b, y = k.fmatrix("x"), k.root.shared(rand(4, 3), "w"), k.root.shared(rand(3), "b"), k.ivector("y")
    nnet = k.nnet if hasattr(k.T, "nnet") else k.part("tensor.special")
    p = nnet.softmax(k.dot(x, w) + b) if hasattr(k.T, "nnet") else nnet.softmax(k.dot(x, w) + b, axis=-1)
    cost = -k.log(p)[k.arange(y.shape[0]), y].mean()
    g = k.root.gradient.grad(cost, [w, b])
    return [x, y], [cost, p], [rand(5, 4), np.array([0, 1, 2, 0, 1], "int32")], [(w, w - g[0]), (b, b - g[1])]


@family
def crossentropy(k):
    x, w, y = k.fmatrix("x"), k.root.shared(rand(4, 3), "w"), k.ivector("y")
    cost = k.nnet.categorical_crossentropy(k.nnet.softmax(k.dot(x, w)), y).mean()
    return (
        [x, y],
        [cost, k.root.gradient.grad(cost, w), k.nnet.binary_crossentropy(x, x).sum()],
        [rand(5, 4), np.array([0, 1, 2, 0, 1], "int32")],
    )


def conv(k, **how):
    """A convolution and its gradients."""
    x, w = k.ftensor4("x"), k.ftensor4("w")
    y = k.part("tensor.nnet").conv2d(x, w, **how)
    return [x, w], [y] + list(k.root.gradient.grad((y**2).sum(), [x, w])), [rand(2, 3, 9, 8), rand(4, 3, 3, 2)]


@family
def conv_valid(k):
    return conv(k)


@family
def conv_half(k):
    return conv(k, border_mode="half")


@family
def conv_full_strided(k):
    return conv(k, border_mode="full", subsample=(2, 3))


@family
def conv_padded_dilated(k):
    return conv(k, border_mode=(1, 2), filter_dilation=(2, 1), subsample=(2, 2))


@family
def conv_3d(k):
    x, w = k.part("tensor").TensorType("float32", (False,) * 5)("x"), k.part("tensor").TensorType("float32", (False,) * 5)("w")
    y = k.part("tensor.nnet").conv3d(x, w, border_mode="half", subsample=(1, 2, 1))
    return [x, w], [y] + list(k.root.gradient.grad((y**2).sum(), [x, w])), [rand(2, 2, 5, 6, 4), rand(3, 2, 3, 3, 3)]


@family
def pooling(k):
    x = k.ftensor4("x")
    pool = k.part("tensor.signal.pool").pool_2d
    outs = [pool(x, (2, 2), ignore_border=True), pool(x, (2, 3), ignore_border=False, mode="sum")]
    outs += [pool(x, (3, 3), ignore_border=True, stride=(2, 1)), pool(x, (3, 3), ignore_border=True, pad=(1, 1), mode="average_exc_pad")]
    return [x], outs + [k.root.gradient.grad((outs[0] ** 2).sum() + (outs[2] ** 2).sum(), x)], [rand(2, 3, 9, 8)]


@family
def batch_normalization(k):
    x, g, b = k.ftensor4("x"), k.ftensor4("g"), k.ftensor4("b")
    bn = k.part("tensor.nnet.bn", "tensor.nnet.batchnorm").batch_normalization_train
    pattern = k.T.TensorType("float32", (True, False, True, True))
    g, b = pattern("g"), pattern("b")
    out, mean, inv = bn(x, g, b, axes="spatial")
    return [x, g, b], [out, mean, inv, k.root.gradient.grad((out**2).sum(), x)], [rand(4, 3, 5, 5), rand(1, 3, 1, 1), rand(1, 3, 1, 1)]


@family
def random_mrg(k):
    x = k.fmatrix("x")
    srng = k.part("sandbox.rng_mrg").MRG_RandomStreams(3)
    return [x], [srng.uniform(x.shape), srng.binomial((4, 5), p=0.5) * 1, srng.normal((x.shape[0], 6))], [rand(3, 4)], "default"


@family
def random_streams(k):
    x, n = k.fmatrix("x"), k.lscalar("n")
    module = k.part("tensor.shared_randomstreams", "tensor.random.utils")
    srng = getattr(module, "RandomStreams", None) or module.RandomStream
    srng = srng(3)
    return [x, n], [srng.uniform(size=x.shape), srng.normal(size=(n, 3)), srng.binomial(size=(4,), n=5, p=0.3) * 1], [rand(3, 4), 6]


@family
def ifelse(k):
    x, c = k.fmatrix("x"), k.iscalar("c")
    return (
        [x, c],
        [k.part("ifelse").ifelse(c > 0, x + 1, x * 2) + 0, k.part("ifelse").ifelse(c > 0, x[:1] + 1, x * 2) + 0],
        [rand(3, 4), np.int32(1)],
    )


@family
def scan_recurrence(k):
    x, u = k.ftensor3("x"), k.fmatrix("u")
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    z = k.alloc(np.float32(0), x.shape[1], u.shape[0])
    (h, e), _ = pair_of(
        scan(lambda xt, h, u: [k.tanh(k.dot(xt, u) + h), k.exp(h).sum(axis=0)], sequences=[x], outputs_info=[z, None], non_sequences=[u])
    )
    return [x, u], [h, e, h[-1], k.root.gradient.grad((h[-1] ** 2).sum(), u)], [rand(6, 2, 3), rand(3, 3)]


@family
def scan_taps(k):
    x, n = k.fvector("x"), k.lscalar("n")
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    out, _ = pair_of(scan(lambda a, b: a + b, outputs_info=[dict(initial=x, taps=[-2, -1])], n_steps=n))
    return [x, n], [out, out[-1], k.root.gradient.grad(out.sum(), x)], [rand(2), 5]


@family
def scan_map(k):
    x, y = k.fmatrix("x"), k.fmatrix("y")
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    out, _ = pair_of(scan(lambda r, y: k.dot(y, r), sequences=[x], non_sequences=[y]))
    return [x, y], [out, out.sum()], [rand(4, 3), rand(5, 3)]


@family
def scan_while(k):
    x = k.fscalar("x")
    module = k.part("scan_module", "scan.utils", "scan")
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    until = getattr(module, "until", None) or k.part("scan.utils").until
    out, _ = pair_of(scan(lambda v: (v * 2, until(v > 5)), outputs_info=[x], n_steps=20))
    return [x], [out * 2], [np.float32(1)]


def pair_of(result):
    """(outputs, updates) of a scan, whichever of the two forms it gives back."""
    return result if isinstance(result, tuple) and len(result) == 2 and hasattr(result[1], "keys") else (result, {})


@family
def inner_function(k):
    a, b, x = k.fmatrix("a"), k.fmatrix("b"), k.fmatrix("x")
    op = k.part("compile.builders").OpFromGraph([a, b], [k.dot(a, b) + 1, a.sum(axis=0)])
    made = op(x, x.T)
    return [x], [made[0] * 2, made[1]], [rand(3, 4)]


@family
def fourier(k):
    x = k.fmatrix("x")
    fft = k.part("tensor.fft")
    return [x], [fft.rfft(x), fft.irfft(fft.rfft(x))], [rand(3, 8)]


@family
def embedding(k):
    ix, m = k.imatrix("ix"), k.root.shared(rand(20, 6), "m")
    sub = m[ix.flatten()]
    e = sub.reshape((ix.shape[0], ix.shape[1], 6)).mean(axis=1)
    g = k.root.gradient.grad((e**2).sum(), sub)
    return [ix], [e], [np.array([[1, 2, 3], [4, 5, 6]], "int32")], [(m, k.inc_subtensor(sub, -g))]


@family
def batches(k):
    i, n, data = k.lscalar("i"), k.lscalar("n"), k.root.shared(rand(50, 4), "data")
    return [i, n], [data[i * n : (i + 1) * n] * 2], [2, 7]


@family
def elementwise_oddities(k):
    x = k.fmatrix("x")
    outs = [
        k.switch(x > 0.5, x, 0),
        k.clip(x, 0, 1),
        k.cast(x, "float64"),
        k.isnan(x),
        k.eq(x, x),
        k.concatenate([x.flatten(), x[0]]),
        x.T.dot(x),
    ]
    return (
        [x],
        outs
        + [k.addbroadcast(x[:1], 0) + x if hasattr(k.T, "addbroadcast") else x, k.allclose(x, x), k.sgn(x) if hasattr(k.T, "sgn") else x],
        [rand(3, 4)],
    )


@family
def checks(k):
    x = k.fmatrix("x")
    module = k.part("tensor.opt", "raise_op")
    return [x], [module.Assert("message")(x, k.eq(x.shape[0], 3)) * 2, k.specify_shape(x, (3, 4)) + 1], [rand(3, 4)]


@family
def one_hot(k):
    y, n = k.lvector("y"), k.lscalar("n")
    part = k.part("tensor.extra_ops")
    return [y, n], [part.to_one_hot(y, 5), k.eq(y.dimshuffle(0, "x"), k.arange(n))], [np.array([1, 2, 0]), 4]
