"""Calls pieces of compat as a moved source does: PyTensor as it is, nothing installed into it. Prints the names of those that fail."""

import importlib
import sys
import traceback

import numpy as np
import pytensor
import pytensor.tensor as pt

API = "theanodiag.legacy."
x, y = pt.matrix("x"), pt.matrix("y")
x4, w4, x5, w5, i = pt.tensor4("x4"), pt.tensor4("w4"), pt.tensor5("x5"), pt.tensor5("w5"), pt.ivector("i")
M = np.abs(np.random.RandomState(1).normal(size=(3, 3))) + 1
P = M / M.sum(axis=1, keepdims=True)
I = np.arange(3, dtype="int32")
X4, W4, X5, W5 = np.ones((1, 2, 4, 4)), np.ones((3, 2, 2, 2)), np.ones((1, 2, 4, 4, 4)), np.ones((3, 2, 2, 2, 2))
CALLS = {
    "tensor.nnet:softmax": lambda f: ([x], f(x), [M]),
    "tensor.nnet:logsoftmax": lambda f: ([x], f(x), [M]),
    "tensor.nnet:relu": lambda f: ([x], f(x, 0.1), [M]),
    "tensor.nnet:elu": lambda f: ([x], f(x), [M]),
    "tensor.nnet:ultra_fast_sigmoid": lambda f: ([x], f(x), [M]),
    "tensor.nnet:conv2d": lambda f: ([x4, w4], f(x4, w4, border_mode="half"), [X4, W4]),
    "tensor.nnet:conv3d": lambda f: ([x5, w5], f(x5, w5), [X5, W5]),
    "tensor.nnet.conv:conv2d": lambda f: ([x4, w4], f(x4, w4), [X4, W4]),
    "tensor.nnet:categorical_crossentropy": lambda f: ([x, i], f(x, i), [P, I]),
    "tensor.nnet:binary_crossentropy": lambda f: ([x, y], f(x, y), [P, P]),
    "tensor.nnet.bn:batch_normalization": lambda f: ([x], f(x, 1.0, 0.0, x.mean(axis=0, keepdims=True), 1.0), [M]),
    "tensor.signal.pool:pool_2d": lambda f: ([x4], f(x4, (2, 2), ignore_border=True), [X4]),
    "tensor.signal.downsample:max_pool_2d": lambda f: ([x4], f(x4, (2, 2), ignore_border=True), [X4]),
    "tensor:stack": lambda f: ([x, y], f(x, y), [M, M]),
    "tensor:tile": lambda f: ([x], f(x, (2, 1)), [M]),
    "tensor:flatten": lambda f: ([x], f(x, 1), [M]),
    "tensor:unbroadcast": lambda f: ([x], f(x, 0), [M]),
    "tensor:patternbroadcast": lambda f: ([x], f(x, (False, False)), [M]),
    "tensor:batched_dot": lambda f: ([x, y], f(x, y), [M, M]),
    "tensor:batched_tensordot": lambda f: ([x, y], f(x, y, 1), [M, M]),
    "tensor.slinalg:solve_lower_triangular": lambda f: ([x, y], f(x, y), [np.tril(M), M]),
    "tensor.nlinalg:eig": lambda f: ([x], f(x.dot(x.T))[0], [M]),
    "sandbox.rng_mrg:MRG_RandomStreams": lambda f: ([], f(3).binomial((2, 2), p=0.5, dtype="float32") + f(3).normal((2, 2)), []),
    "tensor.shared_randomstreams:RandomStreams": lambda f: ([], f(3).binomial((2, 2), p=0.5) + f(3).uniform((2, 2)), []),
}
VALUES = {
    "adapters:_asarray": lambda f: f([1.0], dtype="float32").dtype == "float32",
    ":OrderedUpdates": lambda f: len(f({pytensor.shared(1.0): x.sum()})) == 1,
    "gof.graph:inputs": lambda f: f([x + y]),
    "gof.graph:is_same_graph": lambda f: f(x + y, x + y),
    "tensor.raw_random:random_state_type": lambda f: f() is not None,
    "tensor.nlinalg:Eig": lambda f: [v.dtype for v in f()(x)] == [x.dtype] * 2,
    "compat.six.moves:xrange": lambda f: list(f(2)) == [0, 1],
    "compat.six.moves:reduce": lambda f: f(max, [1, 2]) == 2,
    "compat.six:iteritems": lambda f: list(f({1: 2})) == [(1, 2)],
}


def found(name):
    if name == "input_defaults":
        return importlib.import_module("theanodiag.compat.input_defaults")
    module, _, last = name.partition(":")
    whole = "theanodiag.legacy.adapters" if module == "adapters" else (API + module).rstrip(".")
    return getattr(importlib.import_module(whole), last)


def defaults(module):
    """Functions of the piece: by place, by name, with None, with a copy; what has no default must be given."""
    a, b, state = pytensor.tensor.dscalar("a"), pytensor.tensor.dscalar("b"), pytensor.shared(0.0)
    f = module.function([a, module.In(b, value=3)], a - b, updates={state: state + 1})
    assert [float(f(1)), float(f(1, 1)), float(f(1, b=2)), float(f(1, None)), float(f.copy()(b=1, a=5))] == [-2.0, 0.0, -1.0, -2.0, 4.0]
    assert state.get_value() == 5.0
    assert f.maker.inputs[0].variable.name == "a"
    try:
        f(b=1)
    except TypeError as error:
        return "Missing required input: a" in str(error)


VALUES["input_defaults"] = defaults

failed = []
for name, make in {**CALLS, **VALUES}.items():
    try:
        piece = found(name)
        if name in CALLS:
            inputs, output, values = make(piece)
            typed = [np.asarray(v, dtype=v_.dtype) for v, v_ in zip(values, inputs)]
            assert np.isfinite(pytensor.function(inputs, output, on_unused_input="ignore")(*typed)).all()
        else:
            assert make(piece)
    except Exception:
        failed.append(name)
        traceback.print_exc()
print(" ".join(failed))
sys.exit(bool(failed))
