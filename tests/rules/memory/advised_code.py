"""Runs code that rules give, in a framework, beside the plain form. Arguments: the framework, and {rule: code} as JSON."""

import importlib
import json
import sys

import numpy

from theanodiag import ChunkedShared

name, codes = sys.argv[1], json.loads(sys.argv[2])
lib = importlib.import_module(name)
T = importlib.import_module(name + ".tensor")
lib.config.mode, lib.config.cxx = "FAST_COMPILE", ""
grad = getattr(lib, "grad", None) or T.grad
rng = numpy.random.RandomState(1)


def far(a, b):
    """The largest difference."""
    return float(numpy.abs(numpy.subtract(a, b)).max())


def checkpoints():
    """The gradient through a loop, with and without checkpoints."""
    data, W = lib.shared(rng.rand(12, 2, 3)), lib.shared(rng.rand(3, 3))
    names = {
        name: lib,
        "numpy": numpy,
        "step": lambda x, h, W: T.tanh(x + T.dot(h, W)),
        "first": T.zeros((2, 3)),
        "data": data,
        "weights": [W],
    }
    exec(codes["one"], names)
    plain = lib.scan(names["step"], sequences=data, outputs_info=[names["first"]], non_sequences=[W])
    states = plain[0] if isinstance(plain, (tuple, list)) else plain
    return far(*lib.function([], [grad(s[-1].sum(), W) for s in (names["states"], states)])())


def two_states():
    """The same through a loop with two states over two sequences."""
    data, W = [lib.shared(rng.rand(12, 2, 3)) for _ in range(2)], lib.shared(rng.rand(3, 3))
    first = [T.zeros((2, 3)), T.ones((2, 3))]

    def step(x, y, h, c, W):
        c = T.tanh(y + T.dot(h, W) + c)
        return T.tanh(x + c), c

    names = {name: lib, "numpy": numpy, "step": step, "weights": [W]}
    names.update(data_1=data[0], data_2=data[1], first_1=first[0], first_2=first[1])
    exec(codes["two"], names)
    plain = lib.scan(step, sequences=data, outputs_info=first, non_sequences=[W])
    states = plain[0] if isinstance(plain[0], (tuple, list)) else plain
    both = (s[0][-1].sum() + s[1][-1].sum() for s in ((names["states_1"], names["states_2"]), states))
    return far(*lib.function([], [grad(cost, W) for cost in both])())


def own_names():
    """The same in the names of a script: a loop over parts of the steps."""
    data, W = lib.shared(rng.rand(1000, 2, 3)), lib.shared(rng.rand(3, 3) / 4)
    names = {name: lib, "one": lambda x, h, W: T.tanh(x + T.dot(h, W)), "h0": T.zeros((2, 3)), "x": data, "W": W}
    exec(codes["own"], names)
    plain = lib.scan(names["one"], sequences=data, outputs_info=[names["h0"]], non_sequences=[W])
    states = plain[0] if isinstance(plain, (tuple, list)) else plain
    return far(*lib.function([], [grad(s[-1].sum(), W) for s in (names["hs"], states)])())


def rows():
    """A table that a model reads in two places after an update of the rows that are read, and after one by its whole gradient."""
    value, ids, more = rng.rand(50, 4), T.ivector("ids"), T.imatrix("more")
    tables = [lib.shared(value, name=n) for n in ("W", "whole")]
    costs = [T.sqr(W[ids]).mean() + (W[ids] * W[more].sum(1)).sum() for W in tables]
    W, whole = tables
    names = {name: lib, "W": W, "cost": costs[0], "updates": [(W, W - 0.05 * grad(costs[0], W))]}
    exec(codes["TD326"], names)
    updates = [*names["updates"], (whole, whole - 0.05 * grad(costs[1], whole))]
    lib.function([ids, more], [], updates=updates)(numpy.array([3, 7, 3], "int32"), numpy.array([[1, 3], [7, 9], [3, 3]], "int32"))
    return max(far(W.get_value(), whole.get_value()), float(not far(W.get_value(), value)))


def states():
    """The same by Adam with a limit of the norm of all gradients: from states of zeros on, rows that are not read do not change either."""
    values, ids, more = [rng.rand(50, 4), rng.rand(50, 4), rng.rand(4, 4)], T.ivector("ids"), T.imatrix("more")
    functions, tables = [], []
    for by_rows in (False, True):
        W, U, b = params = [lib.shared(v) for v in values]
        cost = (T.tanh(T.dot(W[ids], b)) * U[more].sum(1)).sum() + (W[more] ** 2).sum() + (W[ids] * U[more[:, 0]]).sum()
        grads, updates = grad(cost, params), []
        norm = T.sqrt(sum((g**2).sum() for g in grads))
        for p, g in zip(params, grads):
            m, v = lib.shared(p.get_value() * 0), lib.shared(p.get_value() * 0)
            g = g / T.maximum(norm, 1.0)
            m_t, v_t = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2
            updates += [(m, m_t), (v, v_t), (p, p - 0.01 * m_t / (T.sqrt(v_t) + 1e-8))]
        if by_rows:
            names = {name: lib, "W": W, "U": U, "updates": updates}
            exec(codes["adam"], names)
            updates = names["updates"]
        functions.append(lib.function([ids, more], cost, updates=updates))
        tables.append(params)
    for f in functions:
        f(numpy.array([3, 7, 3], "int32"), numpy.array([[1, 2, 1], [3, 3, 3], [0, 1, 7]], "int32"))
    moved = min(far(p.get_value(), v) for p, v in zip(tables[1], values))
    return max(float(not moved), *(far(p.get_value(), q.get_value()) for p, q in zip(*tables)))


def scores():
    """The costs of a classifier by numbers of classes, of all of them and of those of the batch, and the same in numpy."""
    W, y, h = lib.shared(rng.rand(3, 7)), T.ivector("y"), lib.shared(rng.rand(24, 3))
    softmax = T.nnet.softmax if name == "theano" else lambda x: T.special.softmax(x, axis=-1)
    p, classes = softmax(T.dot(h, W)), rng.randint(0, 7, 24).astype("int32")
    whole = {name: lib, "p": p, "y": y}
    exec(codes["TD334"].splitlines()[-1], whole)
    sampled = {name: lib, "scores": T.log(T.dot(p, T.eye(7)))[:, classes], "right_words": y}
    exec(codes["TD328"].splitlines()[-1], sampled)
    found = lib.function([y], [whole["losses"].mean(), sampled["cost"]])(classes)
    rows = lib.function([], p)()
    columns = rows[:, classes]
    right = -numpy.log(numpy.diag(columns / columns.sum(1, keepdims=True))).mean()
    return far(found, [-numpy.log(rows[numpy.arange(24), classes]).mean(), right])


def chunks():
    """The sum of all rows, by batches of chunks."""
    value = rng.rand(100, 5)
    data = ChunkedShared(value, budget=30 * 5 * 8, batch=10, library=lib)
    start, stop = T.lscalar(), T.lscalar()
    total = lib.function([start, stop], data.variable[start:stop].sum())
    return far(sum(float(total(b.start, b.stop)) for b in data.batches()), value.sum())


for find in (checkpoints, two_states, own_names, rows, states, scores, chunks):
    print(find.__name__, find())
