"""Joins arrays as pygpu/operations.py 0.7.6, on the host."""

import numpy

from .gpuarray import GpuArray, array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


def concatenate(arys: "Live", axis: int = 0, context: "Live" = None) -> GpuArray:
    """Joins arrays along an axis."""
    return array(numpy.concatenate([numpy.asarray(a) for a in arys], axis), context=context or arys[0].context)


def vstack(tup: "Live", context: "Live" = None) -> GpuArray:
    """Joins arrays along axis 0, as numpy.vstack."""
    return array(numpy.vstack([numpy.asarray(a) for a in tup]), context=context or tup[0].context)


def hstack(tup: "Live", context: "Live" = None) -> GpuArray:
    """Joins arrays along axis 1, as numpy.hstack."""
    return array(numpy.hstack([numpy.asarray(a) for a in tup]), context=context or tup[0].context)


def dstack(tup: "Live", context: "Live" = None) -> GpuArray:
    """Joins arrays along axis 2, as numpy.dstack."""
    return array(numpy.dstack([numpy.asarray(a) for a in tup]), context=context or tup[0].context)
