"""Ops that pass their input on: transfers, copies, views, checks, gradients that are scaled or cut off; and Ops without arrays.

Sources: Theano 0.7 sandbox/cuda/basic_ops.py; Theano 1.0.5 gpuarray/basic_ops.py, gpuarray/type.py (C code of DeepCopyOp), compile/ops.py,
gradient.py, tensor/opt.py; PyTensor 3.3.7 raise_op.py.
"""

from __future__ import annotations

from .dtypes import as_input
from .memory_effects import Work, new_array
from .node import Like, same
from .parameters import Groups, Params, literal, split_top
from .spec import GpuLowering, OpSpec, alike


def from_host_memory(work: Work) -> None:
    """Memory of GpuFromHost. The array of the last call is reused if it has the right shape and is in C order."""
    work.reuse(0, contiguous=True)


def to_host_memory(work: Work) -> None:
    """Memory of HostFromGpu: a strided array is copied on the device before it is read."""
    source = work.input(0)
    if source is not None and not source.one_segment:
        work.release(work.copied(source, "copy in C order"))
    if work.watches(0):
        work.reuse(0)


def contiguous_memory(work: Work) -> None:
    """Memory of GpuContiguous: the input itself if it is in C order, else a copy, which reuses the array of the last call if that has the
    right shape.
    """
    source = work.input(0)
    if source is None or source.contiguous:
        work.share(0, source)
    else:
        work.reuse(0, contiguous=True, shape=source.shape)


def copy_memory(work: Work) -> None:
    """Memory of DeepCopyOp: always a new copy."""
    source = work.input(0)
    work.replace(0, source.shape if source is not None else None)


def _rebroadcast_parameters(groups: Groups) -> Params:
    """`{?,1,0}`: by position, 1 means broadcastable; Aesara prints `{(0, False)}`."""
    items = split_top(groups[0][1]) if groups else []
    if any(i.startswith("(") for i in items):
        pairs = [literal(i) for i in items]
        return {"axis": {str(p[0]): p[1] for p in pairs if isinstance(p, list) and len(p) == 2}}
    return {"axis": {str(i): item == "1" for i, item in enumerate(items) if item in "01"}}


OPS = (
    OpSpec("Assert", views_input=True, on_either_side=True, shape=Like(0), value=same, dtype=as_input(0),
        gpu=GpuLowering(under_same_rules=True, host_inputs_from=1)),
    OpSpec("CheckAndRaise", views_input=True, on_either_side=True, shape=Like(0), value=same, dtype=as_input(0),
        gpu=GpuLowering(host_inputs_from=1)),
    *alike("ConsiderConstant CpuContiguous DisconnectedGrad GradClip GradScale ZeroGrad", views_input=True, shape=Like(0),
        dtype=as_input(0)),
    *alike("Check CheckParameterValue ParamCheck", views_input=True),
    OpSpec("GpuContiguous", integer_arithmetic=True, hands_on=True, views_input=True, shape=Like(0), value=same, dtype=as_input(0),
        memory=contiguous_memory),
    OpSpec("GpuFromHost", integer_arithmetic=True, hands_on=True, transfers=True, shape=Like(0), value=same, dtype=as_input(0),
        memory=from_host_memory),
    OpSpec("HostFromGpu", integer_arithmetic=True, hands_on=True, transfers=True, shape=Like(0), value=same, dtype=as_input(0),
        memory=to_host_memory),
    OpSpec("DeepCopyOp", integer_arithmetic=True, hands_on=True, on_either_side=True, shape=Like(0), value=same, dtype=as_input(0),
        memory=copy_memory),
    OpSpec("OutputGuard", hands_on=True, views_input=True, on_either_side=True, shape=Like(0), value=same, dtype=as_input(0)),
    OpSpec("Print", views_input=True, on_either_side=True, shape=Like(0), value=same, dtype=as_input(0)),
    OpSpec("Rebroadcast", integer_arithmetic=True, hands_on=True, views_input=True, part_of_input=True, on_either_side=True,
        shape=Like(0), value=same, dtype=as_input(0), printed_parameters=_rebroadcast_parameters),
    OpSpec("Unbroadcast", integer_arithmetic=True, hands_on=True, views_input=True, part_of_input=True, on_either_side=True,
        shape=Like(0), value=same, dtype=as_input(0)),
    OpSpec("GpuToGpu", hands_on=True, transfers=True, shape=Like(0), value=same, dtype=as_input(0), memory=new_array),
    OpSpec("TransferOp", hands_on=True, transfers=True, shape=Like(0), value=same, dtype=as_input(0)),
    *alike("ViewOp TensorFromXTensor XTensorFromTensor Rename", integer_arithmetic=True, hands_on=True, views_input=True,
        on_either_side=True, shape=Like(0), value=same, dtype=as_input(0)),
    *alike("MakeList NoneConst", may_lack_inputs=True, no_array=True),
    *alike(
        "Append DefaultGeneratorMakerOp DnnConvDesc DnnPoolDesc DnnVersion Extend Insert MakeNone MakeTypedList "
        "RandomGeneratorConstructor RandomStateConstructor Remove Reverse _DropoutDescriptor _RNNDescriptor", no_array=True),
    *alike("AsCudaNdarray FromCudaNdarray FromGpu Hint Raise SpecifyAssumptions TensorFromGpu TypeCastingOp UndefinedGrad",
        shape=Like(0)),
    *alike("Contiguous FromHost ToGpu", shape=Like(0), value=same, dtype=as_input(0)),
    OpSpec("CopyOnNegativeStrides", shape=Like(0), dtype=as_input(0)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
