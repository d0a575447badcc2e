"""Serves `theano.sandbox.cuda.blas`: the correlation Op of the CPU, which computes the same."""

from ....ops.conv.cudnn import PaddedCorrMM as GpuCorrMM

__all__ = ["GpuCorrMM"]
