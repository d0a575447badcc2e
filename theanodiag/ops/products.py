"""Catalogue entries of matrix and vector products.

Sources: Theano 1.0.5 tensor/blas.py, gpuarray/blas.py; Aesara and PyTensor tensor/blas.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("BatchedDot", gpu=GpuLowering("GpuBatchedDot")),
    OpSpec("CGemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("CGer", input_ranks=(2, 0, 1, 1), output_ranks=(2,), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("Dot", factors=(0, 1)),
    OpSpec("Dot22", input_ranks=(2, 2), output_ranks=(2,), factors=(0, 1), gpu=GpuLowering("GpuDot22")),
    OpSpec("Dot22Scalar", input_ranks=(2, 2, 0), output_ranks=(2,), factors=(0, 1), gpu=GpuLowering("GpuDot22Scalar", host_inputs=(2,))),
    OpSpec("Gemm", input_ranks=(2, 0, 2, 2, 0), output_ranks=(2,), factors=(2, 3), gpu=GpuLowering("GpuGemm", host_inputs=(1, 4))),
    *alike("GemmBatch BatchedGemm", gpu=GpuLowering(host_inputs=(1, 4))),
    OpSpec("Gemv", input_ranks=(1, 0, 2, 1, 0), output_ranks=(1,), factors=(2, 3), gpu=GpuLowering("GpuGemv", host_inputs=(1, 4))),
    OpSpec("Ger", input_ranks=(2, 0, 1, 1), output_ranks=(2,), gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGer", gpu=GpuLowering("GpuGer", host_inputs=(1,))),
    OpSpec("ScipyGemv", gpu=GpuLowering("GpuGemv")),
)
"""The entries of this family."""
