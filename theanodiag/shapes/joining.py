"""Shape rules of Ops that join, split, reshape or repeat arrays. Source of JoinDims and SplitDims: PyTensor 3.0.7 tensor/reshape.py."""

from __future__ import annotations

from ..ir.shape import Dim, Unknown
from .dimensions import NoShape, agreed, left_over, lift, product, total
from .registry import Rule, Shapes
from .state import Node


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


RULES: dict[str, Rule] = {
    "Join": join, "Split": split, "Reshape": reshape, "Flatten": flatten, "Tile": tile, "Repeat": repeat, "RepeatOp": repeat,
    "JoinDims": join_dims, "SplitDims": split_dims,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
