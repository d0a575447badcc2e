"""Catalogue entries of loops, branches and padding.

Sources: Theano 1.0.5 ifelse.py, scan_module/scan_op.py, gpuarray/opt.py; PyTensor 3.3.7 ifelse.py, tensor/pad.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    *alike("IfElse Scan", integer_input=0, overwrites={}, gpu=GpuLowering(host_inputs=(0,), under_same_rules=True)),
    OpSpec("LazyIfElse", integer_input=0),
    OpSpec("Pad", integers_from=1),
)
"""The entries of this family."""
