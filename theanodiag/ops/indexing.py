"""Catalogue entries of Ops that read or write parts of arrays, search, sort and accumulate.

Sources: Theano 1.0.5 tensor/subtensor.py, tensor/basic.py, gpuarray/subtensor.py; the same in Aesara 2.9.4 and PyTensor 3.3.7.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("AdvancedBooleanIncSubtensor", gpu=GpuLowering("GpuAdvancedBooleanIncSubtensor")),
    OpSpec("AdvancedBooleanSubtensor", gpu=GpuLowering("GpuAdvancedBooleanSubtensor")),
    OpSpec("AdvancedIncSubtensor", integers_from=2, gpu=GpuLowering("GpuAdvancedIncSubtensor", host_inputs_from=2)),
    OpSpec(
        "AdvancedIncSubtensor1", input_ranks=(None, None, 1), integers_from=2, gpu=GpuLowering("GpuAdvancedIncSubtensor1", cast_to_int64=2)
    ),
    *alike("AdvancedIncSubtensor1_dev20 IncDiagonalSubtensor", integers_from=2),
    OpSpec(
        "AdvancedSubtensor1",
        input_ranks=(None, 1),
        integers_from=1,
        integer_arithmetic=True,
        gpu=GpuLowering("GpuAdvancedSubtensor1", cast_to_int64=1),
    ),
    OpSpec("IncSubtensor", scalars_from=2, integers_from=2, fills_scan_buffer=True, gpu=GpuLowering("GpuIncSubtensor", host_inputs_from=2)),
    *alike("ScalarSubtensor DiagonalSubtensor", integers_from=1),
    OpSpec(
        "Subtensor",
        scalars_from=1,
        integers_from=1,
        integer_arithmetic=True,
        rearranges=True,
        views_input=True,
        part_of_input=True,
        gpu=GpuLowering("GpuSubtensor", host_inputs_from=1),
    ),
    OpSpec("AdvancedSubtensor", integers_from=1, gpu=GpuLowering("GpuAdvancedSubtensor", host_inputs_from=1)),
    *alike("ArgSortOp FillDiagonal FillDiagonalOffset Nonzero SearchsortedOp SortOp Unique", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("CumOp", gpu=GpuLowering("GpuCumOp", contiguous_inputs=1)),
    *alike("CumprodOp CumsumOp", gpu=GpuLowering("GpuCumOp")),
    OpSpec("TopKOp", integers_from=1, gpu=GpuLowering(host_inputs_from=1)),
    *alike("MakeSlice Bincount", integers_from=0),
)
"""The entries of this family."""
