"""Shape rules of Ops that create arrays of a given size, and of those that ask for or fix shapes."""

from __future__ import annotations

from ..ir.shape import Dim, Unknown
from .dimensions import Bound, NoShape, lift
from .registry import Rule, Shapes
from .state import Node
from .values import counted


def alloc(node: Node) -> Shapes:
    """Alloc and BroadcastTo of (value, *shape), AllocEmpty of (*shape): the shape that is given."""
    first = 0 if node.op.name.endswith("AllocEmpty") else 1
    return [tuple(node.number(i) for i in range(first, node.n_inputs))]


def arange(node: Node) -> Shapes:
    """ARange of (start, stop, step): ceil((stop - start) / step) elements; a Bound where only `stop` is one."""
    found = [node.array(i) for i in range(3)]
    start, stop, step = (f.items[0] if f is not None and len(f.items) == 1 else None for f in found)
    if start is None or stop is None or not step:
        return [(next((d for d in map(node.number, range(3)) if isinstance(d, Unknown)), Unknown("ARange with step 0")),)]
    length = counted(start, stop, step)
    if length is None:
        return [(Unknown("what ARange goes through has no end"),)]
    if node.doubtful(0) or node.doubtful(2):
        return [(Unknown("the start or the step of ARange depends on data"),)]
    return [(Bound(length) if node.doubtful(1) else length,)]


def eye(node: Node) -> Shapes:
    """Eye and Tri of (rows, columns, offset): (rows, columns)."""
    return [(node.number(0), node.number(1))]


def shape_vector(node: Node) -> Shapes:
    """Shape: a vector with one entry for each dimension of the input."""
    return [(len(node.shape(0)),)]


def make_vector(node: Node) -> Shapes:
    """MakeVector: a vector with one element for each input."""
    return [(node.n_inputs,)]


def scalar(node: Node) -> Shapes:
    """A scalar for each output."""
    return [()] * node.n_outputs


def specify_shape(node: Node) -> Shapes:
    """SpecifyShape: the input's shape, with the dimensions that are promised.

    These are a vector (Theano), or a scalar or None for each dimension (Aesara and later).
    """
    shape = node.shape(0)
    vector = node.numbers(1) if node.n_inputs == 2 and node.maybe(1) != () else None
    if vector is None and node.n_inputs == len(shape) + 1:
        vector = [node.number(i) if node.array(i) else d for i, d in enumerate(shape, 1)]
    if vector is None or len(vector) != len(shape):
        return [shape]
    return [tuple(d if isinstance(v, (Unknown, Bound)) else v for v, d in zip(vector, shape))]


def extract_diagonal(node: Node) -> Shapes:
    """ExtractDiag: the two axes are replaced by the diagonal, which comes last."""
    shape, offset = node.shape(0), node.integer("offset", 0) or 0
    if len(shape) < 2:
        raise NoShape("a diagonal of fewer than two dimensions")
    a, b = (node.integer("axis1", 0) or 0) % len(shape), (node.integer("axis2", 1) or 0) % len(shape)
    rest = tuple(d for i, d in enumerate(shape) if i not in (a, b))
    length = lift(lambda m, n: max(0, min(m + min(offset, 0), n - max(offset, 0))), shape[a], shape[b])
    return [(*rest, length)]


def alloc_diagonal(node: Node) -> Shapes:
    """AllocDiag: the last dimension becomes two axes of a square matrix."""
    shape, offset = node.shape(0, least=1), abs(node.integer("offset", 0) or 0)
    side = lift(lambda n: n + offset, shape[-1])
    made: list[Dim] = list(shape[:-1])
    first, second = node.integer("axis1"), node.integer("axis2")
    ndim = len(shape) + 1
    axes = sorted(((first if first is not None else 0) % ndim, (second if second is not None else 1) % ndim))
    for axis in axes:
        made.insert(axis, side)
    return [tuple(made)]


def bartlett(node: Node) -> Shapes:
    """Bartlett of (n): n points."""
    return [(node.number(0),)]


RULES: dict[str, Rule] = {
    "Alloc": alloc, "AllocEmpty": alloc, "BroadcastTo": alloc, "ARange": arange, "Eye": eye, "Tri": eye, "Shape": shape_vector,
    "Shape_i": scalar, "MakeVector": make_vector, "JAXShapeTuple": make_vector, "ScalarFromTensor": scalar, "TensorFromScalar": scalar,
    "SpecifyShape": specify_shape,
    "ExtractDiag": extract_diagonal, "AllocDiag": alloc_diagonal, "AllocDiag2": alloc_diagonal, "Bartlett": bartlett,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
