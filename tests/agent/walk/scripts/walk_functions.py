"""python walk_functions.py PACKAGE_FOLDER FRAMEWORK: graphs of a few functions as the walker writes them, as JSON by name."""

import importlib
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "capture", "scripts"))

from families import pair_of  # noqa: E402
from live_check import load, vm_linker  # noqa: E402


def functions(root, T):
    """Name -> a compiled function."""
    grad = root.gradient.grad
    x, w, b = T.matrix("x"), root.shared(np.ones((4, 3)), "w"), root.shared(np.zeros(3), "b")
    y = T.tanh(T.dot(x, w) + b)  # the line of y
    cost = (y**2).sum()
    step = [(v, v - 0.1 * g) for v, g in zip([w, b], grad(cost, [w, b]))]
    yield "train", root.function([x], [cost, y], updates=step, name="train")
    yield "predict", root.function([x], y)
    i = T.iscalar("i")
    yield "given", root.function([i], y.sum(), givens={x: root.shared(np.ones((20, 4)), "data")[i * 2 : (i + 1) * 2]})
    try:
        yield "default", root.function([x, root.compile.io.In(i, value=3)], x[i])
    except ValueError:  # PyTensor 3 has no default values
        yield "default", None
    yield "constant", root.function([x], [x + np.arange(4.0), x + np.arange(100.0)[:, None] * np.arange(4.0), x * np.inf])
    scan = root.scan if callable(root.scan) else root.scan.scan
    h, _ = pair_of(scan(lambda xt, h, w: T.tanh(T.dot(xt, w) + h), sequences=[x], outputs_info=[b], non_sequences=[w], name="loop"))
    yield "scan", root.function([x], [h[-1], grad((h[-1] ** 2).sum(), w)])
    left = T.matrix("left")
    op = importlib.import_module(root.__name__ + ".compile.builders").OpFromGraph([left], [T.exp(left).sum(axis=0)])
    yield "inner function", root.function([x], op(x * 2))
    yield "after", root.function([x], [T.dot(w, w)], updates=[(w, w + x)])


def in_python(root, package):
    """Functions run on the machine in C with the thunks of Python: the graphs are the same, and nothing has to be compiled."""
    mode = root.compile.mode
    made = mode.Mode(vm_linker(package)(use_cloop=True, c_thunks=False), "fast_run")
    if package == "theano":
        mode.predefined_modes["FAST_RUN"] = made
    root.config.mode = "FAST_RUN" if package == "theano" else made


def main(folder, package):
    """All graphs, with one registry, and the order in which the framework lists the nodes."""
    load(folder)
    walker = importlib.import_module("_theanodiag_agent.walk.graph")
    root = importlib.import_module(package)
    registry, results = walker.SharedIds(), {}
    in_python(root, package)
    for name, function in functions(root, importlib.import_module(package + ".tensor")):
        if function is None:
            continue
        graph = walker.Walk(function.maker, function.name or "", registry).graph()
        results[name] = {"graph": graph, "order": [type(node.op).__name__ for node in function.maker.fgraph.toposort()]}
    return results


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))
