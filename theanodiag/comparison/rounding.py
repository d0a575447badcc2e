"""Estimates how far rounding alone may change each value of a graph, from the magnitudes of its values.

Where a sum cancels (the gradient of a bias before a normalisation is zero but for rounding) what is left has the size of the rounding of
its terms: it may differ by as much, however small it is itself. Each node adds the rounding of its own result, or of its terms where it
sums, and passes on that of its inputs, multiplied by its sensitivity to them. An Op without an entry here passes on the largest
relative one. The magnitudes are the largest of each array, so that the bounds are on the large side of what rounding does, and far below
what another computation does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .first_node import ValuedGraph, ValuedNode

EPSILON = {"float16": 9.8e-4, "float32": 1.2e-7, "float64": 2.3e-16, "complex64": 1.2e-7, "complex128": 2.3e-16}
"""One unit in the last place of 1."""
SLACK = 16.0
"""Rounding error that each node may add, in units of a value's own rounding: for another summation order or another library's function."""


@dataclass(frozen=True)
class Scale:
    """The magnitude of an array."""

    largest: float
    smallest: float
    size: float


_SUMS = ("Add", "Sub")
_MOVES = frozenset((
    "DimShuffle", "Reshape", "Subtensor", "AdvancedSubtensor", "AdvancedSubtensor1", "Join", "Alloc", "Cast", "TensorFromScalar", "Neg",
    "ScalarFromTensor", "Switch", "MakeVector", "Rebroadcast", "SpecifyShape", "Split", "Identity", "Second", "Maximum", "Minimum", "Abs",
    "Clip", "IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "Unbroadcast", "ExtractDiag", "Tanh", "Sigmoid", "Sin", "Cos",
))  # fmt: skip
"""Ops whose result changes by no more than their inputs do."""
_PRODUCTS = frozenset(("Dot", "Dot22", "Gemm", "Gemv", "Ger", "BatchedDot", "Dot22Scalar", "MatMul", "Matmul"))


def bounds(graph: ValuedGraph, scales: Mapping[int, Scale]) -> dict[int, float]:
    """Variable -> largest difference that rounding explains; 0 if nothing is known about its value."""
    limits: dict[int, float] = {}
    for number, variable in enumerate(graph.variables):
        if number not in graph.owner and number in scales:
            limits[number] = EPSILON.get(str(variable.dtype), 0.0) * scales[number].largest
    for node in graph.nodes:
        reads = [(scales.get(v, Scale(0.0, 0.0, 1.0)), limits.get(v, 0.0)) for v in node.reads]
        for output in node.makes:
            epsilon = EPSILON.get(str(graph.variables[output].dtype), 0.0)
            if output in scales and epsilon:
                terms, handed_on = _of_node(node, reads, scales[output])
                limits[output] = SLACK * epsilon * max(terms, scales[output].largest) + handed_on
    return limits


def _of_node(node: ValuedNode, reads: Sequence[tuple[Scale, float]], result: Scale) -> tuple[float, float]:
    """The largest sum of magnitudes that a node adds up, and the rounding of its inputs that it passes on."""
    sizes, held = [scale.largest for scale, _ in reads], [bound for _, bound in reads]
    if node.op in _SUMS and len(reads) == 1:  # a reduction
        terms = max(1.0, reads[0][0].size / max(result.size, 1.0))
        return terms * sizes[0], terms * held[0]
    if node.op in _SUMS:
        return sum(sizes), sum(held)
    if node.op == "Mul" and len(reads) > 1:
        return 0.0, sum(bound * _product(sizes, n) for n, bound in enumerate(held))
    if node.op in ("TrueDiv", "IntDiv") and len(reads) == 2 and reads[1][0].smallest > 0:
        least = reads[1][0].smallest
        return 0.0, held[0] / least + sizes[0] * held[1] / least**2
    if node.op == "Sqr":
        return 0.0, 2 * sizes[0] * held[0]
    if node.op == "Sqrt" and reads[0][0].smallest > 0:
        return 0.0, held[0] / (2 * reads[0][0].smallest ** 0.5)
    if node.op in ("Log", "Log1p") and reads[0][0].smallest > 0:
        return 0.0, held[0] / reads[0][0].smallest
    if node.op == "Exp":
        return 0.0, result.largest * held[0]
    if node.op in _PRODUCTS and len(reads) >= 2:
        inner = max(1.0, (reads[-1][0].size * reads[-2][0].size / max(result.size, 1.0)) ** 0.5)
        return inner * sizes[-1] * sizes[-2] + sum(sizes[:-2]), inner * (sizes[-1] * held[-2] + sizes[-2] * held[-1]) + sum(held[:-2])
    if node.op in _MOVES:
        return 0.0, max(held, default=0.0)
    return 0.0, result.largest * max((bound / size for bound, size in zip(held, sizes) if size), default=0.0)


def _product(sizes: Sequence[float], left_out: int) -> float:
    product = 1.0
    for number, size in enumerate(sizes):
        product *= 1.0 if number == left_out else size
    return product
