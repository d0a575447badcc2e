"""Memory effects of elementwise Ops and reductions.

Source: Theano 1.0.5, gpuarray/elemwise.py (`GpuElemwise`, `GpuCAReduceCuda`, `GpuCAReduceCPY`), gpuarray/reduction.py, gpuarray/nnet.py;
libgpuarray 0.7.6, src/gpuarray_reduction.c, `maxandargmaxInvoke`.
"""

from __future__ import annotations

from ...ir import itemsize
from ..storage import size_of
from .base import Work, by_maps, in_c

HOST_WORD = 8
"""Bytes of a `size_t`."""


def elemwise(work: Work) -> None:
    """GpuElemwise: an in-place output is the input itself; others reuse the old value if it fits and is in C order."""
    for output in range(len(work.node.outputs)):
        sources = work.node.op.destroy_map.get(output)
        if sources:
            work.share(output, work.input(sources[0]))
        elif work.watches(output):
            work.reuse(output, contiguous=True)


def reduce_cuda(work: Work) -> None:
    """GpuCAReduceCuda: reuses the old value if it has the right shape."""
    work.reuse(0)


def reduce_cpy(work: Work) -> None:
    """GpuCAReduceCPY: the output, and an accumulator where its dtype differs; a new copy where nothing is reduced."""
    source = work.input(0)
    redux = work.params.get("redux") or work.params.get("axis", True)
    if source is not None and (not source.shape or redux == []):
        work.replace(0)
        return
    work.reuse(0)
    dtype, shape = work.params.get("acc_dtype"), work.shape(0)
    own = work.frame.program.graph.variables[work.node.outputs[0]].type.dtype
    if isinstance(dtype, str) and dtype != own and shape is not None:
        work.give(work.temporary(size_of(shape) * itemsize(dtype), "accumulator"))


def max_and_argmax(work: Work) -> None:
    """GpuMaxAndArgmax: both outputs, and five small buffers with strides and sizes for the kernel."""
    for output in range(len(work.node.outputs)):
        work.reuse(output, contiguous=True)
    source, result = work.input(0), work.current(0)
    if source is None or result is None or not source.shape:
        return
    n, m = len(source.shape), len(result.shape)
    words = (n, n, min(m, 3), m, m)
    work.give(*[work.temporary(HOST_WORD * count, "strides and sizes for the kernel") for count in words])


RULES = in_c(
    {
        "GpuElemwise": elemwise,
        "GpuCAReduceCuda": reduce_cuda,
        "GpuCAReduceCPY": reduce_cpy,
        "GpuMaxAndArgmax": max_and_argmax,
        **dict.fromkeys(("GpuCrossentropySoftmaxArgmax1HotWithBias", "GpuTopKOp", "GpuDnnBatchNorm", "GpuDnnBatchNormGrad"), by_maps),
    }
)
"""Memory rule by class name of the Op."""
