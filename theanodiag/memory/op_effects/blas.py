"""Memory effects of matrix and vector products: which operands and results are copied because cuBLAS cannot take them as they are.

Source: Theano 1.0.5, gpuarray/blas.py; libgpuarray 0.7.6, src/gpuarray_array_blas.c.
"""

from __future__ import annotations

from ..storage import Array
from .base import Work, in_c


def copy_or_reuse(work: Work, source: Array) -> None:
    """Copies `source` into the old value if that fits and is in C order, else into a new array.

    Source: gpuarray/c_code/gpuarray_helper.h, `theano_try_copy`.
    """
    work.reuse(0, contiguous=True, shape=source.shape)


def into(work: Work, position: int, good: bool) -> None:
    """Writes the result into input number `position` where the Op is in place and `good` holds, else into a copy of that input."""
    source = work.input(position)
    if source is None:
        work.clear(0)
    elif work.node.op.destroy_map and good:
        work.share(0, source)
    else:
        copy_or_reuse(work, source)


def with_copies(work: Work, operands: list[Array | None]) -> None:
    """Copies `operands` (None: no copy needed); all copies are live together while the product is computed."""
    copies = [work.copied(a, "copy of a strided operand") for a in operands if a is not None]
    for copy in copies:
        work.release(copy)


def scattered(array: Array | None) -> Array | None:
    """`array` if it lies neither in C nor in Fortran order in one piece, else None."""
    return array if array is not None and not array.one_segment else None


def backward(array: Array | None) -> Array | None:
    """`array` if its first stride is negative, else None."""
    return array if array is not None and array.strides and array.strides[0] < 0 else None


def gemm(work: Work) -> None:
    """GpuGemm, C + A·B: A and B are copied where they are strided."""
    c = work.input(0)
    into(work, 0, c is not None and c.one_segment)
    with_copies(work, [scattered(work.input(2)), scattered(work.input(3))])


def dot22(work: Work) -> None:
    """GpuDot22, A·B: operands are copied where they are strided."""
    work.reuse(0)
    with_copies(work, [scattered(work.input(0)), scattered(work.input(1))])


def dot22_scalar(work: Work) -> None:
    """GpuDot22Scalar, A·B times a scalar: as `dot22`."""
    dot22(work)


def gemv(work: Work) -> None:
    """GpuGemv, y + A·x; where A has no columns, no product is computed and nothing copied."""
    y, a = work.input(0), work.input(2)
    into(work, 0, y is not None and y.strides[0] > 0)
    if a is not None and len(a.shape) == 2 and a.shape[1]:
        with_copies(work, [scattered(a), backward(work.input(3))])


def ger(work: Work) -> None:
    """GpuGer, A + x·yᵀ: x and y are copied where they run backward."""
    a = work.input(0)
    into(work, 0, a is not None and a.one_segment)
    with_copies(work, [backward(work.input(2)), backward(work.input(3))])


def gemm_batch(work: Work) -> None:
    """GpuGemmBatch, C + A·B for each of a batch: A and B are copied where their last two dimensions are strided."""
    c = work.input(0)
    into(work, 0, c is not None and c.one_segment)
    with_copies(work, [_not_2d(work.input(2)), _not_2d(work.input(3))])


def batched_dot(work: Work) -> None:
    """GpuBatchedDot, a lowered BatchedDot: A·B for each of a batch, into a new array."""
    work.replace(0)
    with_copies(work, [_not_2d(work.input(0)), _not_2d(work.input(1))])


def _not_2d(array: Array | None) -> Array | None:
    """`array` if neither of its last two dimensions has unit stride (or one runs backward), else None.

    Source: src/gpuarray_array_blas.c, `is_last_2d_contiguous`.
    """
    if array is None or array.contiguous:
        return None
    last = array.strides[-2:]
    return None if min(last) > 0 and array.itemsize in last else array


RULES = in_c(
    {
        "GpuGemm": gemm,
        "GpuDot22": dot22,
        "GpuDot22Scalar": dot22_scalar,
        "GpuGemv": gemv,
        "GpuGer": ger,
        "GpuGemmBatch": gemm_batch,
        "GpuBatchedDot": batched_dot,
    }
)
"""Memory rule by class name of the Op."""
