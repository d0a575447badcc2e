"""Upper and lower triangles of matrices: pygpu/basic.py 0.7.6."""

import numpy

from .gpuarray import GpuArray, array


def triu(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The upper triangle of a matrix, in place or as a new array."""
    return write_result(A, numpy.triu(numpy.asarray(A)), inplace)


def tril(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The lower triangle of a matrix, in place or as a new array."""
    return write_result(A, numpy.tril(numpy.asarray(A)), inplace)


def write_result(a: GpuArray, values: object, inplace: bool) -> GpuArray:
    """Writes `values` into `a` if `inplace`, else into a new array. Returns the array written."""
    if not inplace:
        return array(values, context=a.context)
    a[...] = values
    return a
