"""Matrix and vector products, and Blockwise, which repeats an Op over leading dimensions.

On the GPU operands and results are copied where cuBLAS cannot take them as they are.
Sources: Theano 1.0.5 tensor/blas.py, gpuarray/blas.py; libgpuarray 0.7.6, src/gpuarray_array_blas.c; Aesara and PyTensor tensor/blas.py.
"""

from __future__ import annotations

from .arrays import Array
from .dtypes import all_inputs, as_input
from .spec import GpuLowering, OpSpec
from .work import Work, copy_or_reuse, in_c


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


@in_c
def gemm_memory(work: Work) -> None:
    """GpuGemm, C + A·B: A and B are copied where they are strided."""
    c = work.input(0)
    into(work, 0, c is not None and c.one_segment)
    with_copies(work, [scattered(work.input(2)), scattered(work.input(3))])


@in_c
def dot22_memory(work: Work) -> None:
    """GpuDot22, A·B, and GpuDot22Scalar, that times a scalar: operands are copied where they are strided."""
    work.reuse(0)
    with_copies(work, [scattered(work.input(0)), scattered(work.input(1))])


@in_c
def gemv_memory(work: Work) -> None:
    """GpuGemv, y + A·x; where A has no columns, no product is computed and nothing copied."""
    y, a = work.input(0), work.input(2)
    into(work, 0, y is not None and y.strides[0] > 0)
    if a is not None and len(a.shape) == 2 and a.shape[1]:
        with_copies(work, [scattered(a), backward(work.input(3))])


@in_c
def ger_memory(work: Work) -> None:
    """GpuGer, A + x·yᵀ: x and y are copied where they run backward."""
    a = work.input(0)
    into(work, 0, a is not None and a.one_segment)
    with_copies(work, [backward(work.input(2)), backward(work.input(3))])


@in_c
def gemm_batch_memory(work: Work) -> None:
    """GpuGemmBatch, C + A·B for each of a batch: A and B are copied where their last two dimensions are strided."""
    c = work.input(0)
    into(work, 0, c is not None and c.one_segment)
    with_copies(work, [_not_2d(work.input(2)), _not_2d(work.input(3))])


@in_c
def batched_dot_memory(work: Work) -> None:
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


OPS = (
    OpSpec("BatchedDot", product=True, dtype=all_inputs, gpu_memory=batched_dot_memory, gpu=GpuLowering("GpuBatchedDot")),
    OpSpec("CGemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), dtype=as_input(0),
        gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("CGer", input_ranks=(2, 0, 1, 1), output_ranks=(2,), dtype=as_input(0), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("Dot", factors=(0, 1), product=True, printed_as={"dot": {}}, dtype=all_inputs),
    OpSpec("Dot22", input_ranks=(2, 2), output_ranks=(2,), factors=(0, 1), product=True, dtype=all_inputs, gpu_memory=dot22_memory,
        gpu=GpuLowering("GpuDot22")),
    OpSpec("Dot22Scalar", input_ranks=(2, 2, 0), output_ranks=(2,), factors=(0, 1), product=True, dtype=all_inputs,
        gpu_memory=dot22_memory, gpu=GpuLowering("GpuDot22Scalar", host_inputs=(2,))),
    OpSpec("Gemm", input_ranks=(2, 0, 2, 2, 0), output_ranks=(2,), factors=(2, 3), product=True, dtype=as_input(0),
        gpu_memory=gemm_memory, gpu=GpuLowering("GpuGemm", host_inputs=(1, 4))),
    OpSpec("GemmBatch", dtype=as_input(0), gpu_memory=gemm_batch_memory, gpu=GpuLowering(host_inputs=(1, 4))),
    OpSpec("BatchedGemm", gpu=GpuLowering(host_inputs=(1, 4))),
    OpSpec("Gemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), product=True, dtype=as_input(0),
        gpu_memory=gemv_memory, gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("Ger", input_ranks=(2, 0, 1, 1), output_ranks=(2,), product=True, dtype=as_input(0), gpu_memory=ger_memory,
        gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGer", dtype=as_input(0), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGemv", gpu=GpuLowering("GpuGemv")),
    OpSpec("Blockwise", product=True),
    OpSpec("MatMul", product=True, dtype=all_inputs),
)  # fmt: skip
"""The entries of this family."""
