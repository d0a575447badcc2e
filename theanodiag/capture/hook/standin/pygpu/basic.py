"""Triangles: pygpu/basic.py 0.7.6."""

import numpy

from .arrays import GpuArray, array


def triu(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The upper triangle."""
    return kept(A, numpy.triu(numpy.asarray(A)), inplace)


def tril(A: GpuArray, inplace: bool = True) -> GpuArray:  # noqa: N803
    """The lower triangle."""
    return kept(A, numpy.tril(numpy.asarray(A)), inplace)


def kept(a: GpuArray, values: object, inplace: bool) -> GpuArray:
    """The values in the array itself or in a new one."""
    if not inplace:
        return array(values, context=a.context)
    a[...] = values
    return a
