"""Cumulative sums and products: one buffer of block sums for each level of the recursion.

Source: Theano 1.0.5, gpuarray/extra_ops.py, `GpuCumOp`.
"""

from __future__ import annotations

from ..heap import Buffer
from ..storage import size_of
from .base import Work, in_c

MAX_THREADS = 1024
"""Threads of a block: the context's `maxlsize0`, 1024 on every CUDA device since compute capability 2.0."""


def cumulative(work: Work) -> None:
    """The output, then the sums of the blocks along the axis, again summed in blocks until there is one."""
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
