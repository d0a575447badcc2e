"""Upper and lower triangles of matrices: pygpu/basic.py 0.7.6."""

import numpy

from .arrays import GpuArray, array


def triu(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The upper triangle of a matrix."""
    return kept(A, numpy.triu(numpy.asarray(A)), inplace)


def tril(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The lower triangle of a matrix."""
    return kept(A, numpy.tril(numpy.asarray(A)), inplace)


def kept(a: GpuArray, values: object, inplace: bool) -> GpuArray:
    """`values` written into `a` if `inplace`, else in a new array."""
    if not inplace:
        return array(values, context=a.context)
    a[...] = values
    return a
