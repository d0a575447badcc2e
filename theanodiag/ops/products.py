"""Catalogue entries of matrix and vector products.

Sources: Theano 1.0.5 tensor/blas.py, gpuarray/blas.py; Aesara and PyTensor tensor/blas.py.
"""

from __future__ import annotations

from .model import GpuLowering, OpInfo, alike

OPS = (
    OpInfo("BatchedDot", gpu=GpuLowering("GpuBatchedDot")),
    OpInfo("CGemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpInfo("CGer", input_ranks=(2, 0, 1, 1), output_ranks=(2,), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpInfo("Dot", factors=(0, 1)),
    OpInfo("Dot22", input_ranks=(2, 2), output_ranks=(2,), factors=(0, 1), gpu=GpuLowering("GpuDot22")),
    OpInfo("Dot22Scalar", input_ranks=(2, 2, 0), output_ranks=(2,), factors=(0, 1), gpu=GpuLowering("GpuDot22Scalar", host_inputs=(2,))),
    OpInfo("Gemm", input_ranks=(2, 0, 2, 2, 0), output_ranks=(2,), factors=(2, 3), gpu=GpuLowering("GpuGemm", host_inputs=(1, 4))),
    *alike("GemmBatch BatchedGemm", gpu=GpuLowering(host_inputs=(1, 4))),
    OpInfo("Gemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpInfo("Ger", input_ranks=(2, 0, 1, 1), output_ranks=(2,), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpInfo("ScipyGer", gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpInfo("ScipyGemv", gpu=GpuLowering("GpuGemv")),
)
"""The entries of this family."""
