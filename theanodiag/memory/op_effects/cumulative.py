"""Memory effects of cumulative sums and products: one buffer of block sums for each level of the recursion.

Source: Theano 1.0.5, gpuarray/extra_ops.py, `GpuCumOp`.
"""

from __future__ import annotations

from ..heap import Buffer
from ..storage import size_of
from .base import Work, in_c

MAX_THREADS = 1024
"""Threads of a block: `maxlsize0` of the context, 1024 on every CUDA device since compute capability 2.0."""


def cumulative(work: Work) -> None:
    """GpuCumOp: the output, then the sums of blocks along the axis, which are summed in blocks again until one is left."""
    work.reuse(0)
    shape, axis = work.shape(0), work.params.get("axis")
    if shape is None or not isinstance(axis, int) or not -len(shape) <= axis < len(shape):
        return
    length, beside = shape[axis], size_of(shape) // max(shape[axis], 1)
    taken: list[Buffer] = []
    while length > 1:
        even = length - length % 2
        block = (min(even, 2 * MAX_THREADS) + 1) // 2
        length = -(-even // (2 * block))
        taken.append(work.temporary(length * beside * work.size_out(0), "sums of blocks"))
    work.give(*reversed(taken))


RULES = in_c({"GpuCumOp": cumulative})
"""Memory rule by class name of the Op."""
