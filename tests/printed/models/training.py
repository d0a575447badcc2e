"""Training functions, samplers and games, whose texts are the least clear about what is overwritten, in the form of models.py."""

import numpy as np
from families import rand
from loops import MODELS, jacobian
from models import descended, model, scanned, sigmoid, weights

__all__ = ["MODELS"]


def scan_of(k):
    """The scan itself, which gives its updates too."""
    return k.root.scan if callable(k.root.scan) else k.root.scan.scan


@model
def learning_in_a_loop(k):
    x, y, w = k.fmatrix("x"), k.fvector("y"), weights(k, "W", 4)

    def step(a, t, w):
        e = t - k.dot(a, w)
        return w + np.float32(0.1) * e * a, e

    ws, e = scanned(k, step, sequences=[x, y], outputs_info=[w, None])
    return [x, y], [e], [rand(8, 4), rand(8)], [(w, ws[-1])]


@model
def counter_inside(k):
    x, n = k.fvector("x"), k.root.shared(np.int64(0), "n")
    made, updates = scan_of(k)(lambda a: (a * a, {n: n + 1}), sequences=[x])
    return [x], [made], [rand(7)], list(updates.items())


@model
def gradient_of_two_taps(k):
    x, a = k.fvector("x"), k.fscalar("a")

    def step(s, before, first, a):
        return k.tanh(a * before + first * np.float32(0.5) + s)

    made = scanned(k, step, sequences=[x], outputs_info=[dict(initial=x[:2], taps=[-1, -2])], non_sequences=[a])
    grad = k.root.gradient.grad
    return [x, a], [grad(made.sum(), x), grad(made[-1], a)], [rand(9), np.float32(0.3)], []


@model
def gradient_of_nested_loops(k):
    x, w = k.ftensor3("x"), weights(k, "W", 4, 4)

    def outer(s, h):
        return scanned(k, lambda a, h: k.tanh(a + k.dot(h, w)), sequences=[s], outputs_info=[h])[-1]

    made = scanned(k, outer, sequences=[x], outputs_info=[k.zeros((4,), dtype="float32")])
    cost = (made**2).sum()
    return [x], [cost], [rand(3, 5, 4)], descended(k, cost, [w])


@model
def paths_of_labels(k):
    p, y = k.fmatrix("p"), k.ivector("y")

    def step(o, a):
        return (a + k.concatenate([k.zeros((1,), dtype="float32"), a[:-1]])) * o

    first = k.cast(k.eq(k.arange(y.shape[0]), 0), "float32")
    cost = -k.log(scanned(k, step, sequences=[p[:, y]], outputs_info=[first])[-1, -1])
    return [p, y], [cost, k.root.gradient.grad(cost, p)], [rand(8, 6), np.arange(4, dtype="int32")], []


@model
def rolled_state(k):
    g, n = k.root.shared(np.ones((7, 9), "int32"), "g"), k.lscalar("n")

    def step(a):
        near = [k.roll(k.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        return k.cast(k.eq(sum(near[1:], near[0]) + a, 3), "int32")

    made = scanned(k, step, outputs_info=[g], n_steps=n)
    return [n], [made[-1].sum()], [3], [(g, made[-1])]


@model
def copied_parameters(k):
    new, old = [[weights(k, name + str(i), 5 + i, 8) for i in range(3)] for name in ("W", "V")]
    return [], [], [], list(zip(old, new))


@model
def function_in_a_step(k):
    a, b, x = k.fvector("a"), k.fvector("b"), k.fmatrix("x")
    op = k.part("compile.builders").OpFromGraph([a, b], [k.tanh(a * b) + a])
    return [x], [scanned(k, lambda r, h: op(r, h), sequences=[x], outputs_info=[x[0]])[-1]], [rand(7, 6)], []


@model
def dropped_by_streams(k):
    streams = k.part("sandbox.rng_mrg")
    r = (getattr(streams, "MRG_RandomStreams", None) or streams.MRG_RandomStream)(7)
    x, w = k.fmatrix("x"), weights(k, "W", 20, 15)
    h = k.tanh(k.dot(x, w))
    cost = ((h * r.binomial(size=h.shape, n=1, p=0.5, dtype="float32")) ** 2).mean()
    return [x], [cost], [rand(10, 20)], descended(k, cost, [w])


@model
def ring_of_costs(k):
    x, w, kept, i = k.fmatrix("x"), weights(k, "W", 6, 3), weights(k, "costs", 50), k.root.shared(np.int32(0), "i")
    cost = (k.dot(x, w) ** 2).mean()
    written = [(kept, k.set_subtensor(kept[i], cost)), (i, k.cast((i + 1) % 50, "int32"))]
    return [x], [kept.mean()], [rand(7, 6)], descended(k, cost, [w]) + written


@model
def nesterov_with_decay(k):
    x, t, params = k.fmatrix("x"), k.fmatrix("t"), [weights(k, "W", 12, 20), weights(k, "b", 20), weights(k, "U", 20, 6)]
    p = sigmoid(k, k.dot(k.tanh(k.dot(x, params[0]) + params[1]), params[2]))
    cost = ((p - t) ** 2).mean() + np.float32(1e-4) * ((params[0] ** 2).sum() + (params[2] ** 2).sum())
    updates = []
    for q, g in zip(params, k.root.gradient.grad(cost, params)):
        v = k.root.shared(q.get_value() * 0, "v_" + q.name)
        new = np.float32(0.9) * v + q - np.float32(0.1) * g
        updates += [(v, new - q), (q, np.float32(0.9) * (new - q) + q - np.float32(0.1) * g)]
    return [x, t], [cost], [rand(16, 12), rand(16, 6)], updates


@model
def least_squares_filter(k):
    x, y, w, p = k.fvector("x"), k.fscalar("y"), weights(k, "W", 5), weights(k, "P", 5, 5)
    px = k.dot(p, x)
    gain = px / (np.float32(0.99) + k.dot(x, px))
    e = y - k.dot(w, x)
    new = (p - gain.dimshuffle(0, "x") * px.dimshuffle("x", 0)) / np.float32(0.99)
    return [x, y], [e], [rand(5), np.float32(1)], [(w, w + gain * e), (p, new)]


@model
def regularised_inverse(k):
    r, v, a = k.fmatrix("r"), weights(k, "V", 7, 3), k.fscalar("a")
    inverse = k.named("matrix_inverse", "inv")(k.dot(v.T, v) + a * k.eye(3, dtype="float32"))
    return [r, a], [k.dot(k.dot(r, v), inverse)], [rand(5, 7), np.float32(0.1)], []


@model
def logp_and_its_gradient(k):
    q, y = k.dvector("q"), k.root.shared(rand(25).astype("float64"), "y")
    rate = k.exp(q[1])
    logp = (-0.5 * ((y - q[0]) / rate) ** 2).sum() - 25 * q[1] - 0.5 * (q**2).sum()
    return [q], [logp, k.root.gradient.grad(logp, q), jacobian(k, rate * q, q)], [rand(2).astype("float64")], []


@model
def accepted_path(k):
    q, n = weights(k, "q", 8), k.lscalar("n")

    def energy(v):
        return (v**2).sum() / 2 + (v**4).sum() / 4

    def leap(v, p):
        p = p - np.float32(0.05) * k.root.gradient.grad(energy(v), v)
        v = v + np.float32(0.1) * p
        return v, p

    paths, momenta = scanned(k, leap, outputs_info=[q, k.cos(q)], n_steps=n)
    change = energy(paths[-1]) + (momenta[-1] ** 2).sum() / 2 - energy(q)
    return [n], [change], [5], [(q, k.switch(change < 0, paths[-1], q))]


@model
def truncated_with_state(k):
    x, y, h0, w, v = k.fmatrix("x"), k.fvector("y"), weights(k, "h0", 5), weights(k, "W", 5, 5), weights(k, "v", 5)
    h = scanned(k, lambda a, h: k.tanh(a + k.dot(h, w)), sequences=[x], outputs_info=[h0], truncate_gradient=4)
    cost = ((k.dot(h, v) - y) ** 2).mean()
    return [x, y], [cost], [rand(9, 5), rand(9)], descended(k, cost, [w, v]) + [(h0, h[-1])]


@model
def running_moments(k):
    x, n, m, s = k.fvector("x"), k.root.shared(np.float32(1), "n"), weights(k, "m", 5), weights(k, "s", 5)
    d = x - m
    new = m + d / (n + 1)
    return [x], [k.sqrt(s / n)], [rand(5)], [(n, n + 1), (m, new), (s, s + d * (x - new))]
