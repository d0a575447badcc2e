"""Shape rules of reductions of every generation: sums, products, extrema and their positions, those of cuDNN."""

from __future__ import annotations

from .registry import Rule, Shapes
from .state import Node


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
RULES: dict[str, Rule] = dict.fromkeys(_NAMES, reduction)
"""Shape rule by class name of the Op, without `Gpu`."""
