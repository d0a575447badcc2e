"""Whole models, for whichever framework runs this, in the form of tests/capture/scripts/families.py: inputs, outputs, arguments, updates."""

import numpy as np
from families import rand

MODELS = {}
RATE = np.float32(0.1)


def model(function):
    """Registers a builder: Kit -> (inputs, outputs, arguments, updates)."""
    MODELS[function.__name__] = function
    return function


def weights(k, name, *shape):
    """A shared variable."""
    return k.root.shared(rand(*shape), name)


def descended(k, cost, params):
    """The updates of plain gradient descent."""
    return [(p, p - RATE * g) for p, g in zip(params, k.root.gradient.grad(cost, params))]


def softmax(k, x):
    """Rows that add up to one."""
    return k.nnet.softmax(x) if hasattr(k.T, "nnet") else k.part("tensor.special").softmax(x, axis=-1)


def sigmoid(k, x):
    """The logistic function."""
    return (getattr(getattr(k.T, "nnet", None), "sigmoid", None) or k.T.sigmoid)(x)


def loss(k, p, y):
    """The mean of the negative log likelihoods of classes."""
    return -k.log(p[k.arange(y.shape[0]), y]).mean()


def scanned(k, *args, **how):
    """The outputs of a scan."""
    scan = k.root.scan if callable(k.root.scan) else k.root.scan.scan
    made = scan(*args, **how)
    return made[0] if isinstance(made, tuple) and len(made) == 2 and hasattr(made[1], "keys") else made


@model
def big_shared_w(k):
    x, w = k.fmatrix("x"), weights(k, "W", 300, 300)
    return [x], [k.dot(x, w).sum()], [rand(4, 300)], []


@model
def grown_w(k):
    x, w = k.fmatrix("x"), weights(k, "W", 30, 40)
    return [x], [k.tanh(k.dot(x, w))], [rand(6, 30)], [(w, w * np.float32(2))]


@model
def sliced_layer(k):
    x, w, b = k.fmatrix("x"), weights(k, "W", 50, 60), weights(k, "b", 60)
    return [x], [sigmoid(k, k.dot(x, w) + b)[:3]], [rand(20, 50)], []


@model
def minibatch_givens(k):
    i, data, target, w = k.lscalar("i"), weights(k, "data", 100, 20), weights(k, "target", 100, 5), weights(k, "W", 20, 5)
    x, y = data[i * 10 : (i + 1) * 10], target[i * 10 : (i + 1) * 10]
    cost = ((k.dot(x, w) - y) ** 2).mean()
    return [i], [cost], [3], descended(k, cost, [w])


@model
def minibatch_argument(k):
    x, y, w = k.fmatrix("x"), k.fmatrix("y"), weights(k, "W", 20, 5)
    cost = ((k.dot(x, w) - y) ** 2).mean()
    return [x, y], [cost], [rand(10, 20), rand(10, 5)], descended(k, cost, [w])


def layers(k, act):
    """Two layers and their cost."""
    x, y = k.fmatrix("x"), k.ivector("y")
    params = [weights(k, "W1", 30, 20), weights(k, "b1", 20), weights(k, "W2", 20, 5), weights(k, "b2", 5)]
    hidden = act(k.dot(x, params[0]) + params[1])
    p = softmax(k, k.dot(hidden, params[2]) + params[3])
    return x, y, params, p, [rand(8, 30), np.arange(8, dtype="int32") % 5]


@model
def mlp_sgd(k):
    x, y, params, p, args = layers(k, k.tanh)
    cost = loss(k, p, y)
    return [x, y], [cost], args, descended(k, cost, params)


@model
def mlp_predict(k):
    x, _, _, p, args = layers(k, k.tanh)
    return [x], [k.argmax(p, axis=1)], args[:1], []


@model
def mlp_momentum(k):
    x, y, params, p, args = layers(k, lambda v: k.maximum(v, 0))
    cost = loss(k, p, y) + sum((q**2).sum() for q in params)
    updates = []
    for n, (q, g) in enumerate(zip(params, k.root.gradient.grad(cost, params))):
        velocity = weights(k, "v%d" % n, *q.get_value().shape)
        step = np.float32(0.9) * velocity - RATE * g
        updates += [(velocity, step), (q, q + step)]
    return [x, y], [cost], args, updates


@model
def mlp_adam(k):
    x, y, params, p, args = layers(k, lambda v: sigmoid(k, v))
    cost = loss(k, p, y)
    t, updates = k.root.shared(np.float32(0), "t"), []
    for n, (q, g) in enumerate(zip(params, k.root.gradient.grad(cost, params))):
        m, v = weights(k, "m%d" % n, *q.get_value().shape), weights(k, "s%d" % n, *q.get_value().shape)
        new_m, new_v = np.float32(0.9) * m + RATE * g, np.float32(0.99) * v + np.float32(0.01) * g**2
        updates += [(m, new_m), (v, new_v), (q, q - RATE * new_m / (k.sqrt(new_v) + np.float32(1e-8)) / (t + 1))]
    return [x, y], [cost], args, updates + [(t, t + 1)]


@model
def autoencoder(k):
    x, w, b, c = k.fmatrix("x"), weights(k, "W", 30, 10), weights(k, "b", 10), weights(k, "c", 30)
    z = sigmoid(k, k.dot(sigmoid(k, k.dot(x, w) + b), w.T) + c)
    cost = -(x * k.log(z) + (1 - x) * k.log(1 - z)).sum(axis=1).mean()
    return [x], [cost], [rand(8, 30)], descended(k, cost, [w, b, c])


@model
def dropout(k):
    x, w = k.fmatrix("x"), weights(k, "W", 30, 10)
    module = k.part("tensor.shared_randomstreams", "tensor.random.utils")
    stream = (getattr(module, "RandomStreams", None) or module.RandomStream)(3)
    mask = k.cast(stream.binomial(size=x.shape, n=1, p=0.5), "float32")
    cost = (k.dot(x * mask, w) ** 2).sum()
    return [x], [cost], [rand(8, 30)], descended(k, cost, [w])


@model
def lenet(k):
    x, y = k.ftensor4("x"), k.ivector("y")
    f, w, b = weights(k, "F", 4, 1, 3, 3), weights(k, "W", 4 * 25, 5), weights(k, "b", 5)
    made = k.part("tensor.signal.pool").pool_2d(k.tanh(k.part("tensor.nnet").conv2d(x, f)), (2, 2), ignore_border=True)
    p = softmax(k, k.dot(made.flatten(2), w) + b)
    cost = loss(k, p, y)
    return [x, y], [cost], [rand(6, 1, 12, 12), np.arange(6, dtype="int32") % 5], descended(k, cost, [f, w, b])


def recurrent(k, step, x, states, others):
    """A recurrence over the first dimension, and what is learned."""
    start = [k.alloc(np.float32(0), x.shape[1], n) for n in states]
    made = scanned(k, step, sequences=[x], outputs_info=start, non_sequences=others)
    return made if isinstance(made, list) else [made]


@model
def rnn_predict(k):
    x, w, u = k.ftensor3("x"), weights(k, "W", 6, 7), weights(k, "U", 7, 7)
    return [x], [recurrent(k, lambda s, h, w, u: k.tanh(k.dot(s, w) + k.dot(h, u)), x, [7], [w, u])[0][-1]], [rand(9, 4, 6)], []


@model
def rnn_train(k):
    x, w, u = k.ftensor3("x"), weights(k, "W", 6, 7), weights(k, "U", 7, 7)
    h = recurrent(k, lambda s, h, w, u: k.tanh(k.dot(s, w) + k.dot(h, u)), x, [7], [w, u])[0]
    cost = (h[-1] ** 2).sum()
    return [x], [cost], [rand(9, 4, 6)], descended(k, cost, [w, u])


def lstm_step(k, n):
    """One step of a long short-term memory with its four gates in one product."""

    def step(s, h, c, w, u, b):
        g = k.dot(s, w) + k.dot(h, u) + b
        c = sigmoid(k, g[:, :n]) * c + sigmoid(k, g[:, n : 2 * n]) * k.tanh(g[:, 2 * n : 3 * n])
        return [sigmoid(k, g[:, 3 * n :]) * k.tanh(c), c]

    return step


@model
def lstm_predict(k):
    x, w, u, b = k.ftensor3("x"), weights(k, "W", 6, 28), weights(k, "U", 7, 28), weights(k, "b", 28)
    return [x], [recurrent(k, lstm_step(k, 7), x, [7, 7], [w, u, b])[0]], [rand(9, 4, 6)], []


@model
def lstm_train(k):
    x, w, u, b = k.ftensor3("x"), weights(k, "W", 6, 28), weights(k, "U", 7, 28), weights(k, "b", 28)
    h = recurrent(k, lstm_step(k, 7), x, [7, 7], [w, u, b])[0]
    cost = (h[-1] ** 2).mean()
    return [x], [cost], [rand(9, 4, 6)], descended(k, cost, [w, u, b])


@model
def gru_train(k):
    x, w, u = k.ftensor3("x"), weights(k, "W", 6, 14), weights(k, "U", 7, 14)

    def step(s, h, w, u):
        g = sigmoid(k, k.dot(s, w) + k.dot(h, u))
        return g[:, :7] * h + (1 - g[:, :7]) * k.tanh(g[:, 7:] * h)

    cost = recurrent(k, step, x, [7], [w, u])[0].mean()
    return [x], [cost], [rand(9, 4, 6)], descended(k, cost, [w, u])


@model
def embedded_words(k):
    words, y, e, w = k.imatrix("words"), k.ivector("y"), weights(k, "E", 40, 8), weights(k, "W", 8, 5)
    p = softmax(k, k.dot(e[words.flatten()].reshape((words.shape[0], words.shape[1], 8)).mean(axis=1), w))
    cost = loss(k, p, y)
    return [words, y], [cost], [np.arange(12, dtype="int32").reshape(4, 3), np.arange(4, dtype="int32")], descended(k, cost, [e, w])


@model
def attention(k):
    q, m, w = k.fmatrix("q"), k.fmatrix("m"), weights(k, "W", 6, 6)
    a = softmax(k, k.dot(k.dot(q, w), m.T) / np.float32(2.5))
    return [q, m], [k.dot(a, m), a], [rand(5, 6), rand(9, 6)], []


@model
def logistic_regression(k):
    x, y, w, b = k.fmatrix("x"), k.fvector("y"), weights(k, "w", 30), k.root.shared(np.float32(0), "b")
    p = 1 / (1 + k.exp(-k.dot(x, w) - b))
    cost = (-y * k.log(p) - (1 - y) * k.log(1 - p)).mean() + np.float32(0.01) * (w**2).sum()
    return [x, y], [p > 0.5, cost], [rand(40, 30), rand(40)], descended(k, cost, [w, b])


@model
def normalised(k):
    x, g, b = k.fmatrix("x"), weights(k, "g", 12), weights(k, "b", 12)
    mean, var = x.mean(axis=0), x.var(axis=0)
    out = (x - mean) / k.sqrt(var + np.float32(1e-3)) * g + b
    cost = (out**3).sum()
    return [x], [cost, out], [rand(20, 12)], descended(k, cost, [g, b])


@model
def gaussian_process(k):
    x, y = k.fmatrix("x"), k.fvector("y")
    d = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    cov = k.exp(-d) + k.eye(x.shape[0], dtype="float32")
    return [x, y], [k.dot(y, k.dot(k.named("matrix_inverse", "inv")(cov), y)), k.named("cholesky")(cov)], [rand(8, 3), rand(8)], []


@model
def chosen_branch(k):
    x, c, w = k.fmatrix("x"), k.iscalar("c"), weights(k, "W", 6, 6)
    out = k.part("ifelse").ifelse(c > 0, k.dot(x, w), k.exp(x))
    return [x, c], [out.sum(), out], [rand(5, 6), np.int32(1)], []


@model
def power_by_scan(k):
    a, n = k.fvector("a"), k.lscalar("n")
    return [a, n], [scanned(k, lambda p, a: p * a, outputs_info=[k.ones_like(a)], non_sequences=[a], n_steps=n)[-1]], [rand(50), 6], []


@model
def swapped(k):
    a, b = weights(k, "A", 20, 20), weights(k, "B", 20, 20)
    return [], [], [], [(a, b), (b, a)]


@model
def kept_state(k):
    x, s = k.fmatrix("x"), weights(k, "S", 20, 20)
    return [x], [s], [rand(20, 20)], [(s, k.dot(s, x))]


@model
def in_place_rows(k):
    x, i, table = k.fmatrix("x"), k.lvector("i"), weights(k, "table", 60, 10)
    return [x, i], [], [rand(4, 10), np.arange(4)], [(table, k.inc_subtensor(table[i], x))]


@model
def named_elementwise(k):
    x = k.fmatrix("x")
    nnet = k.part("tensor.nnet")
    sigm = k.part("tensor.nnet.sigm")
    return [x], [nnet.softsign(x) * 2, sigm.ultra_fast_sigmoid(x), nnet.softsign(x)], [rand(4, 6)]


@model
def neighbours(k):
    x = k.ftensor4("x")
    images2neibs = k.part("tensor.nnet.neighbours").images2neibs
    made = [images2neibs(x, (2, 3)), images2neibs(x, (3, 3), neib_step=(1, 2), mode="ignore_borders")]
    others = [images2neibs(x, (3, 3), neib_step=(2, 2), mode=mode) for mode in ("wrap_centered", "half", "full")]
    return [x], made + others, [rand(2, 3, 6, 9)]


@model
def partial_slices(k):
    x, i, j = k.ftensor3("x"), k.lvector("i"), k.lvector("j")
    return [x, i, j], [x[i, 1:, j] * 2, x[1, i, :2] * 2, x[i, j, 1:4:2]], [rand(5, 5, 5), np.arange(3), np.arange(3)]


@model
def permuted(k):
    a, x = k.fvector("a"), k.fmatrix("x")
    stream = k.part("tensor.random.utils").RandomStream(3)
    return [a, x], [stream.permutation(a), stream.permutation(x)], [rand(6), rand(4, 3)]


@model
def sparse_of_dense(k):
    x = k.fmatrix("x")
    sp = k.part("sparse")
    s = sp.csr_from_dense(x)
    return [x], [sp.sp_sum(s, axis=0), sp.dot(s, x.T)], [rand(4, 5)]


@model
def paddings(k):
    x = k.fmatrix("x")
    made = [k.pad(x, ((1, 2), (3, 4)), mode="constant"), k.pad(x, 2, mode="edge"), k.pad(x, 1, mode="wrap"), k.pad(x, (1, 2))]
    return [x], [*made, k.pad(x, 1, mode="symmetric")], [rand(4, 5)]


@model
def padded_by_shapes(k):
    x, f = k.fmatrix("x"), k.fmatrix("f")
    return [x, f], [k.part("tensor.signal").convolve2d(x, f, mode="same")], [rand(9, 8), rand(3, 4)]


@model
def products_by_two_axes(k):
    a, b = k.ftensor3("a"), k.ftensor4("b")
    return [a, b], [k.batched_tensordot(a, b, axes=[[1, 2], [3, 1]])], [rand(2, 3, 4), rand(2, 4, 5, 3)]


@model
def matrix_of_diagonal(k):
    x = k.fmatrix("x")
    return [x], [k.part("tensor").set_subtensor(k.zeros_like(x)[:4, :4], k.diag(k.diagonal(x) * 2))], [rand(4, 5)]


@model
def batched_algebra(k):
    a, b = k.ftensor3("a"), k.ftensor3("b")
    linalg = k.part("tensor.linalg")
    return [a, b], [linalg.inv(a), linalg.det(a), linalg.solve(a, b)], [rand(2, 3, 3), rand(2, 3, 4)]


@model
def factored(k):
    a = k.fmatrix("a")
    factor = k.named("lu_factor")(a)
    return [a], [factor[0] * 2, k.named("pivot_to_permutation")(factor[1])] + list(k.named("qr")(a)), [rand(4, 4)]


@model
def tensor_equation(k):
    a, b = k.dtensor4("a"), k.dmatrix("b")
    return [a, b], [k.named("tensorsolve")(a, b)], [np.eye(12).reshape(4, 3, 6, 2), rand(4, 3).astype("float64")]
