"""The figures of each example, derived by hand from its graph: sums of products of shapes, in bytes. Nothing here was measured.

All in float32 on a device that rounds each buffer up to 64 bytes. Per function: the graph that Theano makes for a GPU (DEVICE), and
the graphs made for a CPU, placed on a device as Theano would place them: Aesara's (AESARA), PyTensor 3.0's (PYTENSOR) and
PyTensor 3.3's (PYTENSOR_NEW). A node's peak is what is live while it runs: its inputs that are still needed, its outputs, and all else
that is kept for later. On PyTensor nodes run in toposort order (one compiled function, `linker=numba`); elsewhere in that of the CVM.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

DEVICE, AESARA, PYTENSOR, PYTENSOR_NEW = "device", "aesara", "pytensor", "pytensor_new"


def buf(*shape: int, itemsize: int = 4) -> int:
    """One buffer: rounded up to 64 bytes, and at least that."""
    return -(-max(1, prod(shape) * itemsize) // 64) * 64


SCALAR = buf()
"""A float32 scalar, and any constant of one element."""


@dataclass(frozen=True)
class Expected:
    """One function of an example, as its calls find it."""

    before: int
    """Shared variables and constants that are live when it is called."""
    during: int
    """What the call adds at its peak."""
    after: int
    inputs: int = 0
    """Arguments on the device, without rounding, at the peak."""

    @property
    def peak(self) -> int:
        """The live peak."""
        return self.before + self.during


Graphs = dict[str, Expected]


def _same(expected: Expected) -> Graphs:
    """All frameworks alike."""
    return dict.fromkeys((DEVICE, AESARA, PYTENSOR, PYTENSOR_NEW), expected)


# big_shared_w.py: GpuFromHost(x) -> Dot22(x, W) -> tanh(dot + b). While the dot runs x and its result are live. Then x goes; the
# Elemwise works in place, or (were it not) has the dot beside it, which is as much as x was.
N = 10000
W, B, X = buf(N, N), buf(N), buf(16, N)
BIG = _same(Expected(before=W + B, during=X + buf(16, N), after=W + B, inputs=16 * N * 4))

# grown_w.py: Alloc(0, n, n) and Alloc(0, n) beside the old 10 x 10 and 10. The GPU optimiser puts the zero of each T.zeros on the
# device (the merged graph uses one, the other stays with the function); a graph for the CPU has one zero to begin with.
SMALL = buf(10, 10) + buf(10)


def _grow(zeros: int) -> tuple[Expected, Expected]:
    """(grow, layer) with this many constants."""
    kept = zeros * SCALAR
    return Expected(SMALL + kept, W + B, W + B + kept), Expected(W + B + kept, X + buf(16, N), W + B + kept, 16 * N * 4)


GROW: Graphs = {DEVICE: _grow(2)[0], AESARA: _grow(1)[0], PYTENSOR: _grow(1)[0], PYTENSOR_NEW: _grow(1)[0]}
GROWN: Graphs = {DEVICE: _grow(2)[1], AESARA: _grow(1)[1], PYTENSOR: _grow(1)[1], PYTENSOR_NEW: _grow(1)[1]}

# sliced_layer.py: x (5000 x 5000) is an argument. Theano and Aesara compute the whole dot and cut tanh's input out of it; PyTensor
# moves the slice (a view of x) before the dot, whose result then has 50 rows.
S = 5000
SW = buf(S, S) + buf(S)
WHOLE = Expected(SW, buf(S, S) + buf(S, S), SW, S * S * 4)
ROWS = Expected(SW, buf(S, S) + buf(50, S), SW, S * S * 4)
SLICED: Graphs = {DEVICE: WHOLE, AESARA: WHOLE, PYTENSOR: ROWS, PYTENSOR_NEW: ROWS}

# minibatch_givens.py: a batch is a view of the pinned data. E = dot(x, W) - y is 500 x 10, G its gradient, dW 784 x 10.
#   device: G is made in E's place and dW into W's (GpuGemm), so E is the largest; the peak is where E, its sum of squares (the cost),
#     the two sizes as int64 and the same as float32 are live. One constant: the 2.0 of the gradient.
#   AESARA: the squares are made in E's place after all others used it, so G lies beside E, with the sizes as float32 and their product.
#   PYTENSOR: no Gemm: E's two uses are one node (squares and 2 E); the peak is dW beside G, with the cost held as an output.
#     PYTENSOR_NEW sums the squares in the same node, and the cost is a number on the host.
DATA = buf(50000, 784) + buf(50000, 10)
W2D, E, TWO = buf(784, 10), buf(500, 10), SCALAR
SIZES = buf(2)
GIVENS: Graphs = {
    DEVICE: Expected(DATA + W2D + TWO, E + SCALAR + buf(2, itemsize=8) + SIZES, DATA + W2D + TWO),
    AESARA: Expected(DATA + W2D + TWO, E + E + SIZES + SCALAR, DATA + W2D + TWO),
    PYTENSOR: Expected(DATA + W2D, E + W2D + SCALAR, DATA + W2D),
    PYTENSOR_NEW: Expected(DATA + W2D, E + W2D, DATA + W2D),
}

# minibatch_argument.py: the same graph with a copy of x on the device, which the gradient needs to the end, and one of y.
#   device: E is made in the place of y's copy. AESARA: y's copy is gone when G lies beside E.
#   PYTENSOR: y is still there when the squares and 2 E are made of E, one of them in E's place. PYTENSOR_NEW: as with givens, and x.
BX, BY = buf(500, 784), buf(500, 10)
ARGUMENT: Graphs = {
    DEVICE: Expected(W2D + TWO, BX + BY + SCALAR + buf(2, itemsize=8) + SIZES, W2D + TWO, (500 * 784 + 500 * 10) * 4),
    AESARA: Expected(W2D + TWO, BX + E + E + SIZES + SCALAR, W2D + TWO, 500 * 784 * 4),
    PYTENSOR: Expected(W2D, BX + BY + E + E, W2D, (500 * 784 + 500 * 10) * 4),
    PYTENSOR_NEW: Expected(W2D, BX + E + W2D, W2D, 500 * 784 * 4),
}

# mlp_sgd.py: 784 - 500 - 10, 128 rows. x is needed to the end (dW1 = x.T dh).
#   device, AESARA: dh lies beside h and d (128 x 10), from which it is made; the argmax of the softmax, which nobody uses, is kept to
#     the end of the call. dW1 goes into W1's place (Gemm). Constants: the 1.0 of tanh's gradient and the learning rate, which the GPU
#     optimiser puts on the device once for each bias.
#   PYTENSOR: no Gemm: the peak is dW1 beside x and dh, with db1 and the cost. PYTENSOR_NEW: b1's update ran before, the cost is on the
#     host. One constant: the 0.0 into which the gradient of the picked probabilities is written.
PARAMS = buf(784, 500) + buf(500) + buf(500, 10) + buf(10)
MX, H, D, DW1 = buf(128, 784), buf(128, 500), buf(128, 10), buf(784, 500)
BACK = MX + H + H + D + buf(128)


def _mlp(constants: int, during: int) -> Expected:
    """A call with so many constants of one element."""
    kept = PARAMS + constants * SCALAR
    return Expected(kept, during, kept, 128 * 784 * 4)


TRAIN: Graphs = {
    DEVICE: _mlp(3, BACK),
    AESARA: _mlp(2, BACK),
    PYTENSOR: _mlp(1, MX + H + DW1 + buf(500) + SCALAR),
    PYTENSOR_NEW: _mlp(1, MX + H + DW1),
}
PREDICT: Graphs = {graph: _mlp(count, MX + H) for graph, count in ((DEVICE, 3), (AESARA, 2), (PYTENSOR, 1), (PYTENSOR_NEW, 1))}

EXPECTED: dict[str, dict[str, Graphs]] = {
    "big_shared_w": {"layer": BIG},
    "grown_w": {"grow": GROW, "layer": GROWN},
    "sliced_layer": {"first_rows": SLICED},
    "minibatch_givens": {"train": GIVENS},
    "minibatch_argument": {"train": ARGUMENT},
    "mlp_sgd": {"train": TRAIN, "predict": PREDICT},
}
"""Example -> function -> kind of graph -> figures."""
