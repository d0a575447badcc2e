"""Catalogue entries of elementwise Ops, dimension shuffles and reductions.

Sources: Theano 1.0.5 tensor/elemwise.py, tensor/basic.py; Aesara 2.9.4 and PyTensor 3.3.7 tensor/elemwise.py.
"""

from __future__ import annotations

from .model import GpuLowering, OpInfo, alike

OPS = (
    OpInfo("DimShuffle", integer_arithmetic=True, rearranges=True, overwrites={}, gpu=GpuLowering("GpuDimShuffle")),
    OpInfo("Elemwise", integer_arithmetic=True, gpu=GpuLowering("GpuElemwise")),
    OpInfo("GpuDimShuffle", integer_arithmetic=True, rearranges=True, views_input=True, overwrites={}),
    *alike("All Any CAReduceCPY CAReduceCuda Mean", reduces=True),
    OpInfo("Argmax", reduces=True, gpu=GpuLowering(needs_cudnn=True)),
    *alike("CAReduce CAReduceDtype Max Min Prod Sum", reduces=True, gpu=GpuLowering("GpuCAReduceCuda")),
    OpInfo("MaxAndArgmax", n_outputs=2, reduces=True),
    OpInfo("NonZeroCAReduce", gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Composite Switch Maximum Minimum", integer_arithmetic=True),
    *alike("InplaceDimShuffle InplaceGpuDimShuffle", rearranges=True, overwrites={}),
)
"""The entries of this family."""
