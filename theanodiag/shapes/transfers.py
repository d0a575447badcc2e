"""Shape rules of Ops that pass their input on (transfers, copies, views, checks), and Ops whose outputs are no arrays."""

from __future__ import annotations

from .registry import Rule, like

_NAMES = (
    "HostFromGpu", "FromHost", "ToGpu", "Contiguous", "CpuContiguous", "CopyOnNegativeStrides", "Rebroadcast", "Unbroadcast", "ViewOp",
    "DeepCopyOp", "CheckAndRaise", "Assert", "OutputGuard", "Print", "TransferOp", "GradClip", "GradScale", "ConsiderConstant", "ZeroGrad",
    "DisconnectedGrad", "TensorFromGpu", "FromCudaNdarray", "AsCudaNdarray",
    "FromGpu", "TypeCastingOp", "Raise", "Hint", "UndefinedGrad", "SpecifyAssumptions", "TensorFromXTensor", "XTensorFromTensor", "Rename",
)  # fmt: skip
RULES: dict[str, Rule] = dict.fromkeys(_NAMES, like(0))
"""Shape rule by class name of the Op, without `Gpu`."""
NO_ARRAYS = (
    "MakeSlice", "NoneConst", "DnnConvDesc", "DnnPoolDesc", "DnnVersion", "MakeNone", "MakeTypedList", "MakeList", "Append", "Extend",
    "Insert", "Remove", "Reverse", "_DropoutDescriptor", "_RNNDescriptor", "RandomStateConstructor", "DefaultGeneratorMakerOp",
    "RandomGeneratorConstructor",
)  # fmt: skip
"""Ops that make slices, descriptors, lists or generators."""
