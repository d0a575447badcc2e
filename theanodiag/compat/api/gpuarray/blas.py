"""Serves `theano.gpuarray.blas`: the correlation Ops of the CPU, which compute the same."""

from ...ops.conv.corr import CorrMM as GpuCorrMM
from ...ops.conv.corr import CorrMM_gradInputs as GpuCorrMM_gradInputs
from ...ops.conv.corr import CorrMM_gradWeights as GpuCorrMM_gradWeights

__all__ = ["GpuCorrMM", "GpuCorrMM_gradInputs", "GpuCorrMM_gradWeights"]
