"""Catalogue entries of elementwise Ops, dimension shuffles and reductions.

Sources: Theano 1.0.5 tensor/elemwise.py, tensor/basic.py; Aesara 2.9.4 and PyTensor 3.3.7 tensor/elemwise.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("DimShuffle", integer_arithmetic=True, rearranges=True, overwrites={}, gpu=GpuLowering("GpuDimShuffle")),
    OpSpec("Elemwise", integer_arithmetic=True, gpu=GpuLowering("GpuElemwise")),
    OpSpec("GpuDimShuffle", integer_arithmetic=True, rearranges=True, views_input=True, overwrites={}),
    *alike("All Any CAReduceCPY CAReduceCuda Mean", reduces=True),
    OpSpec("Argmax", reduces=True, gpu=GpuLowering(needs_cudnn=True)),
    *alike("CAReduce CAReduceDtype Max Min Prod Sum", reduces=True, gpu=GpuLowering("GpuCAReduceCuda")),
    OpSpec("MaxAndArgmax", n_outputs=2, reduces=True),
    OpSpec("NonZeroCAReduce", gpu=GpuLowering("GpuCAReduceCuda")),
    *alike("Composite Switch Maximum Minimum", integer_arithmetic=True),
    *alike("InplaceDimShuffle InplaceGpuDimShuffle", rearranges=True, overwrites={}),
)
"""The entries of this family."""
