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
    exec(codes["TD322"], names)
    plain = lib.scan(names["step"], sequences=data, outputs_info=[names["first"]], non_sequences=[W])
    states = plain[0] if isinstance(plain, (tuple, list)) else plain
    return far(*lib.function([], [grad(s[-1].sum(), W) for s in (names["states"], states)])())


def rows():
    """A table after an update of the rows that are read, and after one by its whole gradient."""
    value, ids = rng.rand(50, 4), T.ivector("ids")
    W, whole = lib.shared(value, name="W"), lib.shared(value, name="whole")
    names = {name: lib, "W": W, "ids": ids, "updates": []}
    first, rest = codes["TD326"].split("\n", 1)
    exec(first, names)
    names["cost"] = T.sqr(names["W_rows"]).mean()
    exec(rest, names)
    dense = T.sqr(whole[ids]).mean()
    updates = [*names["updates"], (whole, whole - 0.05 * grad(dense, whole))]
    lib.function([ids], [], updates=updates)(numpy.array([3, 7, 3], "int32"))
    return max(far(W.get_value(), whole.get_value()), float(not far(W.get_value(), value)))


def scores():
    """The cost of a recurrent net whose scores are computed behind the loop, and of one that computes them in each step."""
    W, y = lib.shared(rng.rand(3, 7)), T.imatrix("y")
    names = {name: lib, "W": W, "y": y, "h": lib.shared(rng.rand(12, 2, 3))}
    exec(codes["TD335"].split("\n", 1)[1], names)
    states, last = names["h"].get_value(), T.matrix("last")
    softmax = T.nnet.softmax if name == "theano" else lambda x: T.special.softmax(x, axis=-1)
    step = lib.function([last], softmax(T.dot(last, W)))
    classes = rng.randint(0, 7, (12, 2)).astype("int32")
    apart = [-numpy.log(step(h)[[0, 1], numbers]).mean() for h, numbers in zip(states, classes)]
    outer = {name: lib, "p": names["p"], "y": y.flatten()}
    exec(codes["TD334"].splitlines()[-1], outer)
    sampled = {name: lib, "scores": T.log(T.dot(names["p"], T.eye(7)))[:, classes.flatten()], "y": y}
    exec(codes["TD328"].splitlines()[-1], sampled)
    found = lib.function([y], [names["cost"], outer["cost"], sampled["cost"]])(classes)
    columns = numpy.concatenate([step(h) for h in states])[:, classes.flatten()]
    right = -numpy.log(numpy.diag(columns / columns.sum(1, keepdims=True))).mean()
    return far(found, [numpy.mean(apart), numpy.mean(apart), right])


def chunks():
    """The sum of all rows, by batches of chunks."""
    value = rng.rand(100, 5)
    data = ChunkedShared(value, budget=30 * 5 * 8, batch=10, library=lib)
    start, stop = T.lscalar(), T.lscalar()
    total = lib.function([start, stop], data.variable[start:stop].sum())
    return far(sum(float(total(b.start, b.stop)) for b in data.batches()), value.sum())


for find in (checkpoints, rows, scores, chunks):
    print(find.__name__, find())
