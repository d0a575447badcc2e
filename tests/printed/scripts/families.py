"""Functions that cover the families of ops, for every generation of the framework. Runs in the framework's interpreter."""

import importlib
import os

for _name in ("theano", "aesara", "pytensor"):
    try:
        fw = importlib.import_module(_name)
        break
    except ImportError:
        continue
import numpy as np

T = importlib.import_module(_name + ".tensor")
DIALECT = _name
FLOAT = fw.config.floatX


def first(*makers):
    """What the first maker that this generation knows gives."""
    for make in makers:
        try:
            return make()
        except (AttributeError, ImportError, TypeError):
            continue
    raise AttributeError("no form of it in this generation")


def module(*names):
    for name in names:
        try:
            return importlib.import_module(_name + "." + name)
        except ImportError:
            continue
    raise ImportError(names)


def scan(*args, **kwargs):
    return module("scan.basic", "scan_module.scan", "scan").scan(*args, **kwargs)[0]


def shared(shape, name):
    return fw.shared(np.ones(shape, FLOAT), name)


def nnet(name):
    for path in ("tensor.nnet", "tensor.special", "tensor.math", "tensor"):
        try:
            found = getattr(importlib.import_module(_name + "." + path), name, None)
        except ImportError:
            continue
        if found is not None:
            return found
    raise AttributeError(name)


def grad(cost, wrt):
    return first(lambda: T.grad(cost, wrt), lambda: fw.grad(cost, wrt))


def families():
    """(name, inputs, outputs, updates) makers by name."""
    x, y, v, w = T.matrix("x"), T.matrix("y"), T.vector("v"), T.vector("w")
    n, iv, t4, t3 = T.iscalar("n"), T.ivector("iv"), T.tensor4("t4"), T.tensor3("t3")
    W, b, V = shared((4, 5), "W"), shared((5,), "b"), shared((5, 3), "V")
    m = T.scalar("m")

    def mlp():
        h = T.tanh(T.dot(x, W) + b)
        p = nnet("softmax")(T.dot(h, V))
        cost = -T.mean(T.log(p)[T.arange(n), iv])
        ps = [W, b, V]
        return [x, iv, n], [cost], [(q, q - 0.1 * g) for q, g in zip(ps, grad(cost, ps))]

    def rnn():
        U = shared((4, 4), "U")
        h = scan(lambda s, p, u: T.tanh(s + T.dot(p, u)), sequences=[x], outputs_info=[T.zeros((4,), dtype=FLOAT)], non_sequences=[U])
        cost = (h[-1] ** 2).sum()
        return [x], [cost], [(U, U - 0.1 * grad(cost, U))]

    def nested():
        return [x], [scan(lambda r: scan(lambda e: e * 2, sequences=[r]), sequences=[x])], []

    def taps():
        return [v], [scan(lambda a, p, q: a + p * q, sequences=[v], outputs_info=[{"initial": v[:2], "taps": [-1, -2]}])], []

    def while_scan():
        until = module("scan.utils", "scan_module.scan_utils").until
        return [m], [scan(lambda p: (p * 2, until(p > m)), outputs_info=[T.ones_like(m)], n_steps=100)], []

    def ofg():
        maker = first(lambda: fw.OpFromGraph, lambda: module("compile.builders").OpFromGraph)
        a, c = T.matrix("a"), T.matrix("c")
        return [x, y], [maker([a, c], [T.exp(a) * c + a])(x, y) + 1], []

    def ifelse():
        return [n, x, y], [module("ifelse").ifelse(n > 0, x + 1, y * 2)], []

    def random():
        rng = first(
            lambda: T.random.RandomStream(3) if "pytensor" in _name or "aesara" in _name else T.shared_randomstreams.RandomStreams(3)
        )
        return [x], [x + rng.normal(size=(2, 3))], []

    def mrg():
        stream = module("sandbox.rng_mrg").MRG_RandomStreams(4)
        return [x], [x * stream.uniform(size=(5, 4))], []

    def conv():
        f = T.tensor4("f")
        out = first(lambda: nnet("conv2d")(t4, f), lambda: module("tensor.conv.abstract_conv").conv2d(t4, f))
        return [t4, f], [out, grad(out.sum(), f)], []

    def pool():
        p = module("tensor.signal.pool", "tensor.signal.downsample")
        return [t4], [first(lambda: p.pool_2d(t4, (2, 2), ignore_border=True), lambda: p.max_pool_2d(t4, (2, 2)))], []

    def linalg():
        s = module("tensor.slinalg")
        k = module("tensor.nlinalg")
        return [x, y], [k.matrix_inverse(x), s.cholesky(y), s.solve(x, y), k.det(x)] + list(k.svd(x)), []

    def multi():
        a = T.exp(x)
        return [x, y], [a, a + y, T.max(x, axis=1), T.argmax(x, axis=1), y, T.sum(a, axis=0)], []

    def split_join():
        parts = first(lambda: T.split(x, [1, 2], 2, axis=0), lambda: T.split(x, [1, 2], axis=0))
        return [x, y], [parts[0] + parts[0], parts[1].sum(), T.concatenate([x, y], axis=1), T.stack([x, y])], []

    def old(names, make):
        return lambda: (names, make(), [])

    return [
        ("elemwise", old([x, y], lambda: [T.exp(x) + y * 2, T.switch(T.gt(x, 0), x, y), T.cast(x, "int32"), T.clip(x, 0, 1)])),
        ("reduce", old([x], lambda: [x.sum(), x.sum(axis=0), x.max(axis=1), x.prod(axis=1), T.any(T.gt(x, 0)), x.mean(axis=0), x.min()])),
        ("dimshuffle", old([v, x, n], lambda: [v.dimshuffle("x", 0), x.T, v.dimshuffle(0, "x") + x, T.tile(v, 2)])),
        ("blas", old([x, y, v], lambda: [T.dot(x, y), T.dot(x, v), 0.5 * T.dot(x, y) + y, T.outer(v, v)])),
        ("tensordot", old([t3, x], lambda: [T.tensordot(t3, x, axes=[[2], [0]]), first(lambda: T.batched_dot(t3, t3), lambda: T.matmul(t3, t3))])),
        ("subtensor", old([x, n], lambda: [x[1:], x[n], x[:n, 2], x[::-1], x[1:n:2, -1], x[-3:]])),
        ("inc_subtensor", old([x, n], lambda: [T.set_subtensor(x[:2], 0), T.inc_subtensor(x[n], 1.0)])),
        ("advanced", old([x, iv], lambda: [x[iv], x[iv, iv], T.set_subtensor(x[iv], 0.0), T.inc_subtensor(x[iv, iv], 1.0)])),
        ("creation", old([n, x], lambda: [T.alloc(1.5, n, 3), T.eye(n), T.arange(n), T.zeros_like(x), x.reshape((n, -1)), x.flatten()])),
        ("sort", old([x], lambda: [T.sort(x, axis=1), T.argsort(x, axis=0)])),
        ("cumsum", old([x], lambda: [first(lambda: T.cumsum(x, axis=0), lambda: T.extra_ops.cumsum(x, axis=0))])),
        ("nonzero", old([x], lambda: [T.gt(x, 0).nonzero()[0], x[T.gt(x, 0).nonzero()]])),
        ("repeat", old([v], lambda: [first(lambda: T.repeat(v, 3), lambda: T.extra_ops.repeat(v, 3))])),
        ("softmax", old([x], lambda: [nnet("softmax")(x)])),
        ("diag", old([v, x], lambda: [first(lambda: T.diag(v), lambda: T.nlinalg.diag(v)), T.diagonal(x)])),
        ("shape", old([x], lambda: [x.shape, T.stack([x.shape[0], x.shape[1] * 2])])),
        ("constants", old([x], lambda: [x + np.arange(6).reshape(2, 3).astype(FLOAT), x[:, [0, 2]], x * np.float32(0.1)])),
        ("specify", old([x], lambda: [T.specify_shape(x, (2, 3)) * 2])),
        ("mlp", mlp), ("rnn", rnn), ("nested", nested), ("taps", taps), ("while", while_scan), ("ofg", ofg), ("ifelse", ifelse),
        ("random", random), ("mrg", mrg), ("conv", conv), ("pool", pool), ("linalg", linalg), ("multi", multi), ("split_join", split_join),
    ]  # fmt: skip


def functions():
    """(name, compiled function) for all that this generation can compile; (name, the error's text) for the rest."""
    mode = fw.compile.mode.get_mode(os.environ["FAMILIES_MODE"]) if os.environ.get("FAMILIES_MODE") else None
    for name, make in families():
        try:
            inputs, outputs, updates = make()
            yield name, fw.function(inputs, outputs, updates=updates, mode=mode, on_unused_input="ignore"), outputs
        except Exception as error:
            yield name, repr(error)[:200], None
