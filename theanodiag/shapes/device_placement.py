"""Tells where values are (host, device, scalar), for texts that print no types, by the names of Ops.

Sources: Theano 1.0.5 gpuarray/basic_ops.py, Theano 0.9 sandbox/cuda/basic_ops.py: Ops called `Gpu...` make device arrays and read them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import FunctionGraph, Op, TypeKind
from ..ops import op_info
from .all_rules import REGISTRY
from .registry import Coverage


def device_of(graph: FunctionGraph) -> TypeKind:
    """The kind of a graph's device arrays: GPUARRAY, or CUDANDARRAY for the back-end that Theano 1.0 removed.

    That back-end's Ops are printed without context name and `gpuarray`.
    """
    texts = [n.op.text for n in graph.applies if n.op.name.lower().startswith(("gpu", "hostfromgpu"))]
    if any("gpuarray" in t or "<" in t or "context_name" in t or t.startswith("GPUA_") for t in texts):
        return TypeKind.GPUARRAY
    bare = any(t in ("HostFromGpu", "GpuFromHost") for t in texts)
    return TypeKind.CUDANDARRAY if bare or TypeKind.CUDANDARRAY in graph.kinds else TypeKind.GPUARRAY


def inputs_on_device(graph: FunctionGraph, whole: set[int]) -> set[int]:
    """Ids of the Variables that Ops read from the device, without `whole`, the lengths and positions, which are on the host."""
    found: set[int] = set()
    for node in graph.applies:
        name = node.op.name
        reads = name.startswith(("Gpu", "GPUA_")) and name != "GpuFromHost"
        if reads or name == "HostFromGpu":
            host = op_info(name).gpu.host_inputs
            found.update(v for i, v in enumerate(node.inputs) if i not in host)
    return found - whole


def generators(graph: FunctionGraph) -> set[int]:
    """Ids of the Variables that are states of random generators, before and after a draw."""
    found: set[int] = set()
    for node in graph.applies:
        at = 1 if node.op.name == "RandomVariableWithCoreShape" else 0
        if is_draw(node.op.name):
            found.update((*node.inputs[at : at + 1], *node.outputs[:1]))
    return found


def is_draw(name: str) -> bool:
    """Whether Ops of class `name` draw from a random generator and return its next state."""
    return name in ("RandomFunction", "RandomVariableWithCoreShape") or name.endswith("RV")


def place_of(op: Op, inputs: Sequence[TypeKind | None], device: TypeKind, output: int = 0) -> TypeKind:
    """The kind of output number `output` of a node, from the kinds of its inputs."""
    name = op.name
    if name.startswith(("Gpu", "GPUA_")):
        return device
    if name in ("ScalarFromTensor", "ScalarSubtensor"):
        return TypeKind.SCALAR
    if op_info(name).on_either_side and inputs and inputs[0] is not None:
        return inputs[0]
    if name in ("IfElse", "LazyIfElse") and len(inputs) > 1 + output:
        return inputs[1 + output] or TypeKind.TENSOR
    if op_info(name).makes_sparse:
        return TypeKind.SPARSE
    if REGISTRY.coverage(name) is Coverage.NONE:
        return TypeKind.OTHER
    scalar = name == "Elemwise" or REGISTRY.coverage(name) is Coverage.UNSUPPORTED
    return TypeKind.SCALAR if scalar and inputs and set(inputs) == {TypeKind.SCALAR} else TypeKind.TENSOR
