"""Catalogue entries of Ops that create, join, split, repeat or reshape arrays, and that ask for or fix their shapes.

Sources: Theano 1.0.5 tensor/basic.py, tensor/extra_ops.py, gpuarray/basic_ops.py; PyTensor 3.3.7 tensor/basic.py, tensor/shape.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("ARange", input_ranks=(0, 0, 0), output_ranks=(1,), integers_from=0, gpu=GpuLowering(stays_on_host=True)),
    OpSpec(
        "Alloc",
        scalars_from=1,
        integers_from=1,
        fills_scan_buffer=True,
        gpu=GpuLowering("GpuAlloc", follows_clients=True, host_inputs_from=1),
    ),
    OpSpec("AllocDiag", gpu=GpuLowering("GpuAllocDiag")),
    OpSpec("ExtractDiag", gpu=GpuLowering("GpuExtractDiag")),
    OpSpec(
        "AllocEmpty",
        may_lack_inputs=True,
        scalars_from=0,
        integers_from=0,
        fills_scan_buffer=True,
        gpu=GpuLowering("GpuAllocEmpty", follows_clients=True, host_inputs_from=0),
    ),
    OpSpec("Bartlett", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("BroadcastTo", integers_from=1, views_input=True),
    OpSpec("Eye", scalars_from=0, integers_from=0, gpu=GpuLowering("GpuEye", follows_clients=True, host_inputs_from=0)),
    OpSpec("Tri", scalars_from=0, integers_from=0, gpu=GpuLowering("GpuTri", follows_clients=True, host_inputs_from=0)),
    OpSpec(
        "MakeVector", may_lack_inputs=True, output_ranks=(1,), scalars_from=0, integer_arithmetic=True, gpu=GpuLowering(stays_on_host=True)
    ),
    OpSpec("ScalarFromTensor", scalars_from=0, integer_arithmetic=True, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Shape", output_ranks=(1,), gpu=GpuLowering(stays_on_host=True, under_same_rules=True)),
    OpSpec("Shape_i", output_ranks=(0,), gpu=GpuLowering(stays_on_host=True)),
    OpSpec(
        "SpecifyShape",
        integers_from=1,
        integer_arithmetic=True,
        views_input=True,
        on_either_side=True,
        gpu=GpuLowering(host_inputs_from=1, under_same_rules=True),
    ),
    OpSpec("TensorFromScalar", integer_arithmetic=True, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Flatten", integer_arithmetic=True, views_input=True),
    OpSpec("Join", integer_arithmetic=True, gpu=GpuLowering("GpuJoin", host_inputs=(0,))),
    *alike("Repeat RepeatOp Tile", integers_from=1),
    OpSpec(
        "Reshape",
        integers_from=1,
        integer_arithmetic=True,
        rearranges=True,
        views_input=True,
        gpu=GpuLowering("GpuReshape", host_inputs_from=1),
    ),
    OpSpec("Split", integers_from=1, gpu=GpuLowering("GpuSplit", host_inputs_from=1)),
    OpSpec("Choose", integer_input=0),
    *alike("JoinDims SplitDims", views_input=True),
    OpSpec("UnravelIndex", integers_from=0),
)
"""The entries of this family."""
