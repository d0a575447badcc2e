"""Catalogue entries of Ops that pass their input on: transfers, copies, checks, gradients that are scaled or cut off.

Sources: Theano 0.7 sandbox/cuda/basic_ops.py; Theano 1.0.5 gpuarray/basic_ops.py, compile/ops.py, gradient.py, tensor/opt.py; PyTensor
3.3.7 raise_op.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("Assert", views_input=True, on_either_side=True, gpu=GpuLowering(host_inputs_from=1, under_same_rules=True)),
    OpSpec("CheckAndRaise", views_input=True, on_either_side=True, gpu=GpuLowering(host_inputs_from=1)),
    *alike(
        "ConsiderConstant CpuContiguous DisconnectedGrad GradClip GradScale ZeroGrad Check CheckParameterValue ParamCheck",
        views_input=True,
    ),
    OpSpec("GpuContiguous", integer_arithmetic=True, hands_on=True, views_input=True),
    *alike("GpuFromHost HostFromGpu", integer_arithmetic=True, hands_on=True, transfers=True),
    OpSpec("DeepCopyOp", integer_arithmetic=True, hands_on=True, on_either_side=True),
    OpSpec("OutputGuard", hands_on=True, views_input=True, on_either_side=True),
    OpSpec("Print", views_input=True, on_either_side=True),
    *alike("Rebroadcast Unbroadcast", integer_arithmetic=True, hands_on=True, views_input=True, part_of_input=True, on_either_side=True),
    *alike("GpuToGpu TransferOp", hands_on=True, transfers=True),
    *alike(
        "ViewOp TensorFromXTensor XTensorFromTensor Rename", integer_arithmetic=True, hands_on=True, views_input=True, on_either_side=True
    ),
    *alike("MakeList NoneConst", may_lack_inputs=True),
)
"""The entries of this family."""
