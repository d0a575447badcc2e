"""Memory effects of transfers, copies, views, joins, and Ops that create arrays.

Source: Theano 1.0.5, gpuarray/basic_ops.py, gpuarray/elemwise.py (`GpuDimShuffle`), gpuarray/type.py (C code of ViewOp, DeepCopyOp),
gpuarray/c_code/dimshuffle.c.
"""

from __future__ import annotations

from ..storage import Array, reshaped
from .base import Work, alias


def gpu_from_host(work: Work) -> None:
    """GpuFromHost: reuses the old value if it fits and is in C order."""
    work.reuse(0, contiguous=True)


def host_from_gpu(work: Work) -> None:
    """HostFromGpu: a strided array is copied on the device before it is read."""
    source = work.input(0)
    if source is not None and not source.one_segment:
        work.release(work.copied(source, "copy in C order"))
    if work.watches(0):
        work.reuse(0)


def gpu_to_gpu(work: Work) -> None:
    """GpuToGpu: always a new array."""
    work.replace(0)


def gpu_alloc(work: Work) -> None:
    """GpuAlloc, GpuAllocEmpty: the old value is filled again if it has the right shape."""
    work.reuse(0)


def gpu_contiguous(work: Work) -> None:
    """GpuContiguous: the input itself if it is in C order, else a copy, which reuses the old value if that fits."""
    source = work.input(0)
    if source is None or source.contiguous:
        work.share(0, source)
    else:
        work.reuse(0, contiguous=True, shape=source.shape)


def reshape(work: Work) -> None:
    """Reshape: a view where strides allow it, else a new copy; the old value is never reused."""
    source, shape = work.input(0), work.shape(0)
    view = reshaped(source, shape) if source is not None and shape is not None else None
    if view is not None or source is None:
        work.share(0, view)
    else:
        work.replace(0, shape)


def dimshuffle(work: Work) -> None:
    """DimShuffle: a view with permuted strides, or a copy where the Op has no view_map."""
    source, order = work.input(0), work.params.get("new_order")
    if source is None or not isinstance(order, (list, tuple)):
        alias(work, 0, 0)
        return
    axes = [k if isinstance(k, int) and k >= 0 else None for k in order]
    if any(k is not None and k >= len(source.shape) for k in axes):  # a damaged text
        alias(work, 0, 0)
        return
    shape = tuple(1 if k is None else source.shape[k] for k in axes)
    strides = tuple(source.itemsize if k is None else source.strides[k] for k in axes)
    if work.node.op.view_map:
        work.share(0, Array(source.buffer, shape, strides, source.itemsize))
    else:
        work.replace(0, shape)


def copy_always(work: Work) -> None:
    """DeepCopyOp: always a new copy."""
    source = work.input(0)
    work.replace(0, source.shape if source is not None else None)


def join(work: Work) -> None:
    """GpuJoin: a new array; or, where all inputs but number `view` are empty, that input itself."""
    view = work.params.get("view", -1)
    if isinstance(view, int) and view != -1:
        arrays = [work.input(1 + k) for k in range(len(work.node.inputs) - 1)]
        others = arrays[:view] + arrays[view + 1 :]
        if all(a is not None and a.nbytes == 0 for a in others):
            work.share(0, arrays[view])
            return
    work.replace(0)


def split(work: Work) -> None:
    """GpuSplit: views of the input, one after the other along the axis."""
    source = work.input(0)
    for output in range(len(work.node.outputs)):
        shape = work.shape(output)
        work.share(output, None if source is None or shape is None else source._replace(shape=shape))


def new_array(work: Work) -> None:
    """Ops that always create a new array."""
    work.replace(0)


RULES = {
    "GpuFromHost": gpu_from_host,
    "HostFromGpu": host_from_gpu,
    "GpuToGpu": gpu_to_gpu,
    "GpuAlloc": gpu_alloc,
    "GpuAllocEmpty": gpu_alloc,
    "GpuContiguous": gpu_contiguous,
    "GpuReshape": reshape,
    "GpuDimShuffle": dimshuffle,
    "DeepCopyOp": copy_always,
    "GpuJoin": join,
    "GpuSplit": split,
    "GpuEye": new_array,
    "GpuTri": new_array,
    "Reshape": reshape,
    "DimShuffle": dimshuffle,
}
"""Memory rule by class name of the Op."""
