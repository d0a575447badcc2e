"""What the GPU optimiser does with each op, as far as memory depends on it.

Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`, `op_lifter` and the lifters below them), gpuarray/type.py (`move_to_gpu`).
"""

from __future__ import annotations

from ...ir import Op, Type, TypeKind
from ...ops import op_info

FLOATS = frozenset({"float16", "float32", "float64"})
INTEGERS = frozenset({"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})


def lives_there(kind: Type) -> bool:
    """Whether a value of this type can live on the device."""
    return kind.kind is TypeKind.TENSOR and kind.dtype in FLOATS | INTEGERS


def stays_on_host(op: Op, position: int, kind: Type) -> bool:
    """Whether this input of a node that moves is read on the host."""
    if not lives_there(kind):
        return True
    return op_info(op.name).gpu.reads_on_host(position)
