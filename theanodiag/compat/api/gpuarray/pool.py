"""Serves `theano.gpuarray.pool`: the pooling Op of the CPU, which computes the same."""

from ...ops.pool import Pool as GpuPool

__all__ = ["GpuPool"]
