"""Shape rules of Ops that create arrays of a given size, and of those that ask for or fix shapes."""

from __future__ import annotations

from ..agent.shapes.dimensions import Bound, NoShape, agreed, left_over, lift, product, total
from ..ir.shape import Dim, Unknown
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


_CREATION_RULES: dict[str, Rule] = {
    "Alloc": alloc, "AllocEmpty": alloc, "BroadcastTo": alloc, "ARange": arange, "Eye": eye, "Tri": eye, "Shape": shape_vector,
    "Shape_i": scalar, "MakeVector": make_vector, "JAXShapeTuple": make_vector, "ScalarFromTensor": scalar, "TensorFromScalar": scalar,
    "SpecifyShape": specify_shape,
    "ExtractDiag": extract_diagonal, "AllocDiag": alloc_diagonal, "AllocDiag2": alloc_diagonal, "Bartlett": bartlett,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


def join(node: Node) -> Shapes:
    """Join along an axis, which is the first input or (PyTensor 3) a parameter: lengths add up along it, others must agree."""
    fixed = node.integer("axis")
    first = 1 if fixed is None else 0
    axis = node.number(0) if fixed is None else fixed
    shapes = [node.shape(i) for i in range(first, node.n_inputs)]
    if isinstance(axis, Unknown):
        raise NoShape(axis.reason)
    if not shapes or any(len(s) != len(shapes[0]) for s in shapes) or not shapes[0]:
        raise NoShape("Join of arrays with different numbers of dimensions")
    axis %= len(shapes[0])
    return [tuple(total(column) if i == axis else agreed(column) for i, column in enumerate(zip(*shapes)))]


def split(node: Node) -> Shapes:
    """Split of (array, axis, sizes), in PyTensor 3 of (array, sizes) with the axis a parameter: parts of these sizes along the axis."""
    shape, fixed = node.shape(0), node.integer("axis")
    axis = node.number(1) if fixed is None else fixed
    if isinstance(axis, Unknown):
        raise NoShape(axis.reason)
    sizes = node.entries(2 if fixed is None else 1)
    unknown: Dim = Unknown("the sizes of the parts of a Split are not known")
    parts = sizes if sizes is not None and len(sizes) == node.n_outputs else [unknown] * node.n_outputs
    axis %= max(1, len(shape))
    return [(*shape[:axis], part, *shape[axis + 1 :]) for part in parts]


def reshape(node: Node) -> Shapes:
    """Reshape of (array, shape): that shape, where -1 stands for what is left."""
    wanted = node.entries(1)
    if wanted is not None:
        return [_filled(node, wanted)]
    if node.out_ndim() == 0:
        return [(0,) * 0]
    raise NoShape(node.reason(1))


def _filled(node: Node, wanted: list[Dim]) -> tuple[Dim, ...]:
    if not any(not isinstance(d, Unknown) and d == -1 for d in wanted):
        return tuple(wanted)
    size = node.maybe(0)
    left = size if isinstance(size, Unknown) else left_over(size, [d for d in wanted if isinstance(d, Unknown) or d != -1])
    return tuple(left if not isinstance(d, Unknown) and d == -1 else d for d in wanted)


def join_dims(node: Node) -> Shapes:
    """JoinDims: `n_axes` dimensions from `start_axis` on become one."""
    shape, start, count = node.shape(0), node.integer("start_axis"), node.integer("n_axes")
    if start is None or count is None:
        raise NoShape("which dimensions JoinDims joins is not printed")
    return [(*shape[:start], product(shape[start : start + count]), *shape[start + count :])]


def split_dims(node: Node) -> Shapes:
    """SplitDims of (array, lengths): dimension `axis` becomes several, of these lengths; -1 stands for what is left."""
    shape, axis, lengths = node.shape(0), node.integer("axis"), node.numbers(1)
    if axis is None or lengths is None or axis >= len(shape):
        raise NoShape(f"SplitDims depends on the value of {node.name(1)}")
    if any(isinstance(d, int) and d == -1 for d in lengths):
        others = product(d for d in lengths if not (isinstance(d, int) and d == -1))
        left = lift(lambda n, m: n // m if m else 0, shape[axis], others)
        lengths = [left if isinstance(d, int) and d == -1 else d for d in lengths]
    return [(*shape[:axis], *lengths, *shape[axis + 1 :])]


def flatten(node: Node) -> Shapes:
    """Flatten: keeps the first dimensions and merges the rest."""
    shape = node.shape(0)
    kept = node.integer("outdim", node.integer("ndim", node.out_ndim() or 1)) or 1
    return [(*shape[: kept - 1], product(shape[kept - 1 :]))]


def tile(node: Node) -> Shapes:
    """Tile of (array, repeats): each dimension times its number of repeats."""
    times, shape = node.numbers(1), node.shape(0)
    ndim = node.integer("ndim", node.out_ndim()) or len(shape)
    if times is None:
        raise NoShape(f"Tile depends on the value of {node.name(1)}")
    ndim = max(ndim, len(times), len(shape))
    padded: list[Dim] = [*[1] * (ndim - len(times)), *times]
    dims: list[Dim] = [*[1] * (ndim - len(shape)), *shape]
    return [tuple(lift(int.__mul__, d, n) for d, n in zip(dims, padded))]


def repeat(node: Node) -> Shapes:
    """Repeat of (array, repeats) along an axis: repeats are one number for all elements, or one for each."""
    axis, times = node.integer("axis"), node.numbers(1)
    shape = node.shape(0, least=0 if axis is None else max(axis + 1, -axis))
    counts = node.maybe(1)
    if times is None or isinstance(counts, Unknown):
        made: Dim = Unknown(f"Repeat depends on the value of {node.name(1)}")
    else:
        length = product(shape) if axis is None else shape[axis]
        made = lift(int.__mul__, length, times[0]) if len(times) == 1 else total(times)
    if axis is None:
        return [(made,)]
    return [tuple(made if i == axis % len(shape) else d for i, d in enumerate(shape))]


_JOINING_RULES: dict[str, Rule] = {
    "Join": join, "Split": split, "Reshape": reshape, "Flatten": flatten, "Tile": tile, "Repeat": repeat, "RepeatOp": repeat,
    "JoinDims": join_dims, "SplitDims": split_dims,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_CREATION_RULES, **_JOINING_RULES}
"""Shape rule by class name of the Op."""
