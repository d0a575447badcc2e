"""Shape rules of elementwise Ops and of DimShuffle under all its names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..agent.shapes.dimensions import NoShape, joint
from ..ir.shape import Dim, Shape, Unknown
from ..ops.scalars import ARITY, canonical
from .inner import numbered
from .registry import Rule, Shapes
from .state import Node, sized

_ARGUMENT = re.compile(r"\bi(\d{1,4})\b")
_INT = frozenset({int})


def elemwise(node: Node) -> Shapes:
    """Elemwise: the inputs' shapes broadcast together; dimensions that a type fixes at 1 do not count."""
    found = [node.state.shapes[v] for v in node.apply.inputs]
    if len(found) < _least_inputs(node):
        raise NoShape(f"{node.op.name} has fewer inputs here than it reads")
    first = found[0] if found else ()
    if found and not isinstance(first, Unknown) and found.count(first) == len(found) and _INT.issuperset(map(type, first)):
        return [first] * node.n_outputs  # fast path for nearly all nodes
    known = [s for s in found if not isinstance(s, Unknown)]
    ndim = node.out_ndim()
    if ndim is None:
        if len(known) < len(found):
            raise NoShape(next(s.reason for s in found if isinstance(s, Unknown)))
        ndim = max((len(s) for s in known), default=0)
    kinds = [node.type(i) for i in range(len(found))]
    rows = [(s, k.shape if sized(k) else ()) for s, k in zip(found, kinds)]
    dims = tuple(joint(_column(rows, ndim - axis)) for axis in range(ndim))
    return [dims] * node.n_outputs


def _least_inputs(node: Node) -> int:
    """Number of inputs that the scalar Op reads at least, since a cut text may show fewer."""
    inner = node.op.inner
    if inner is not None and inner.inputs:
        return max(numbered(inner, k) for k in range(len(inner.inputs))) + 1
    return _read_by(node.op.text, str(node.params.get("scalar_op", "")))


@lru_cache(maxsize=4096)
def _read_by(text: str, scalar: str) -> int:
    start = text.find("Composite{")
    if start >= 0:
        return max((int(n) for n in _ARGUMENT.findall(text, start)), default=0) + 1
    return ARITY.get(canonical(scalar) or "", 1)


def _column(rows: Sequence[tuple[Shape | Unknown, Sequence[int | None]]], place: int) -> list[Dim]:
    """The inputs' dimensions at `place`, counted from the right, without those fixed at 1; `rows` are shapes and static shapes."""
    column: list[Dim] = []
    for shape, static in rows:
        if isinstance(shape, Unknown):
            column.append(shape)
        elif place <= len(shape) and not (place <= len(static) and static[-place] == 1):
            column.append(shape[-place])
    return column


def dim_shuffle(node: Node) -> Shapes:
    """DimShuffle: permutes, drops and adds dimensions."""
    shape = node.shape(0)
    return [tuple(shape[d] if isinstance(d, int) else 1 for d in order_of(node, len(shape)))]


def order_of(node: Node, ndim: int) -> list[object]:
    """For each dimension of the result, the number of the input's dimension (of `ndim`) that it is; a non-integer marks a new one."""
    order = node.params.get("new_order")
    if not isinstance(order, list):
        order = _order_by_name(node, ndim)
    if any(isinstance(d, int) and d >= ndim for d in order):
        raise NoShape(f"{node.op.name} names a dimension that its input does not have")
    return order


def _order_by_name(node: Node, ndim: int) -> list[object]:
    """The order that PyTensor's names for a DimShuffle say: ExpandDims, DropDims, Squeeze, Transpose, MatrixTranspose."""
    text, axes = node.op.text, node.integers("axis")
    if node.flag("is_matrix_transpose") or text.startswith("MatrixTranspose"):
        return [*range(ndim - 2), ndim - 1, ndim - 2]
    if text.startswith("Transpose"):
        return [*(range(ndim)[::-1] if axes is None else axes)]
    if axes is None:
        raise NoShape(f"the parameters of {node.op.name} are not known")
    if text.startswith("ExpandDims"):
        return _expanded(axes, ndim)
    dropped = {a % ndim for a in axes if ndim}
    return [d for d in range(ndim) if d not in dropped]


def _expanded(axes: Sequence[int], ndim: int) -> list[object]:
    made = ndim + len(axes)
    new, old = {a % made for a in axes}, iter(range(ndim))
    if len(new) < len(axes):
        raise NoShape("an axis is named twice")
    return ["x" if d in new else next(old) for d in range(made)]


_ELEMENTWISE_RULES: dict[str, Rule] = {"Elemwise": elemwise, "DimShuffle": dim_shuffle}
"""Shape rule by class name of the Op, without `Gpu`."""


def axes_of(node: Node, ndim: int) -> set[int]:
    """The axes that a reduction drops, for an input of `ndim` dimensions: all where none is named."""
    mask = node.integers("reduce_mask")  # GpuCAReduceCuda: Theano 1.0.5 gpuarray/elemwise.py
    axes = node.integers("axis")
    if node.op.name == "GpuCAReduce" and mask is None and axes is not None and len(axes) == ndim:
        mask = axes  # Theano 0.9 sandbox/cuda/elemwise.py prints the mask in braces
    if mask is not None:
        return {i for i, m in enumerate(mask) if m}
    return set(range(ndim)) if axes is None else {a % ndim for a in axes if ndim}


def reduction(node: Node) -> Shapes:
    """The input's shape without the reduced axes."""
    shape = node.shape(0)
    axes = axes_of(node, len(shape))
    return [tuple(d for i, d in enumerate(shape) if i not in axes)] * node.n_outputs


_NAMES = (
    "CAReduce", "CAReduceDtype", "CAReduceCuda", "CAReduceCPY", "Sum", "Prod", "ProdWithoutZeros", "Any", "All", "Max", "Min", "Mean",
    "MaxAndArgmax", "Argmax", "DnnReduction", "FixedOpCAReduce", "NonZeroDimsCAReduce", "NonZeroCAReduce",
    "MaxAndMinCAReduce",
)  # fmt: skip
_REDUCTIONS_RULES: dict[str, Rule] = dict.fromkeys(_NAMES, reduction)
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_ELEMENTWISE_RULES, **_REDUCTIONS_RULES}
"""Shape rule by class name of the Op."""
