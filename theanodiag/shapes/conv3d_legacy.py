"""Shape rules of Theano's old 3-D convolutions (until 0.9), whose arrays are (batch, rows, columns, time, channels).

Sources: Theano 0.9.0 tensor/nnet/Conv3D.py, ConvTransp3D.py, ConvGrad3D.py, tensor/nnet/conv3d2d.py.
"""

from __future__ import annotations

from ..agent.shapes.dimensions import Bound, NoShape, lift
from ..ir.shape import Dim, Unknown
from .registry import Rule, Shapes
from .state import Node


def _three(node: Node, position: int) -> list[Dim]:
    """The values of a vector of at least three integers."""
    found = node.known(position)
    if len(found) < 3:
        raise NoShape(node.reason(position))
    return found


def _five(node: Node, position: int) -> tuple[Dim, ...]:
    shape = node.shape(position)
    if len(shape) != 5:
        raise NoShape(f"{node.op.name} of an input without five dimensions")
    return shape


def forward(node: Node) -> Shapes:
    """Conv3D of (image, filters, bias, strides)."""
    film, filters, steps = _five(node, 0), _five(node, 1), _three(node, 3)
    made = [lift(lambda n, k, s: (n - k) // s + 1, *row) for row in zip(film[1:4], filters[1:4], steps)]
    return [(film[0], *made, filters[0])]


def backward(node: Node) -> Shapes:
    """ConvTransp3D of (filters, bias, strides, output, size); without `size`, the smallest image with that output."""
    filters, steps, made = _five(node, 0), _three(node, 2), _five(node, 3)
    size = node.numbers(4) if node.n_inputs > 4 else None
    if size is None or len(size) != 3 or size[0] == -1:
        size = [lift(lambda n, k, s: (n - 1) * s + k, *row) for row in zip(made[1:4], filters[1:4], steps)]
    return [(made[0], *size, filters[4])]


def of_filters(node: Node) -> Shapes:
    """ConvGrad3D of (image, strides, shape of the filters, gradient): that shape."""
    return [tuple(node.known(2, 5))]


def along_diagonal(node: Node) -> Shapes:
    """DiagonalSubtensor of (array, i, j): axis i has n_i - n_j + 1 elements, one for each window of length n_j."""
    shape, axes = list(node.shape(0)), [node.number(1), node.number(2)]
    first, second = (-1 if isinstance(a, Unknown) else int(a) for a in axes)
    if not (0 <= first < len(shape) and 0 <= second < len(shape)):
        raise NoShape(f"the axes of {node.op.name} are not known")
    shortest = isinstance(shape[second], Bound)  # a bound may be as small as 1, which cuts nothing off
    shape[first] = lift(lambda n, k: n if shortest else n - k + 1, shape[first], shape[second])
    return [tuple(shape)]


RULES: dict[str, Rule] = {
    "Conv3D": forward, "ConvTransp3D": backward, "ConvGrad3D": of_filters, "DiagonalSubtensor": along_diagonal,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
