"""Which nodes of a host graph move to the device.

Forward: a node with an input on the device moves if the back-end has its Op; all arguments with at least one dimension count as being
there. Backward: a node whose every reader needs the result on the device moves too.
Source: Theano 1.0.5, gpuarray/opt.py, `GraphToGPU.apply`, `op_lifter`.
"""

from __future__ import annotations

from ...ir import Apply, FunctionGraph, Op, Type, TypeKind
from ...ops import op_info

FLOATS = frozenset({"float16", "float32", "float64"})
"""Float dtypes that device arrays can have."""
INTEGERS = frozenset({"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})
"""Integer dtypes that device arrays can have."""


def lives_there(kind: Type) -> bool:
    """Whether a value of this host type can be a device array: tensors of the float and integer dtypes can, complex ones cannot.

    Source: Theano 1.0.5, gpuarray/type.py, `move_to_gpu`.
    """
    return kind.kind is TypeKind.TENSOR and kind.dtype in FLOATS | INTEGERS


def stays_on_host(op: Op, position: int, kind: Type) -> bool:
    """Whether `op`, once moved to the device, reads its input number `position`, of type `kind`, on the host."""
    if not lives_there(kind):
        return True
    return op_info(op.name).gpu.reads_on_host(position)


def moving(graph: FunctionGraph, inside: bool = False) -> frozenset[int]:
    """Ids of the Apply nodes that move to the device; `inside` a loop all its inputs are there already."""
    there = {i.variable for i in graph.inputs if _starts_there(graph, i.variable, inside or i.shared is not None)}
    moved: set[int] = set()
    for node in graph.applies:
        if _can(graph, node) and any(v in there for v in node.inputs):
            moved.add(node.id)
            there.update(v for v in node.outputs if lives_there(graph.variables[v].type))
    for node in reversed(graph.applies):
        if node.id not in moved and _can(graph, node) and _called_for(graph, node, moved):
            moved.add(node.id)
    return frozenset(moved)


def _starts_there(graph: FunctionGraph, variable: int, scalars_too: bool) -> bool:
    kind = graph.variables[variable].type
    return lives_there(kind) and (scalars_too or kind.ndim > 0)


def _can(graph: FunctionGraph, node: Apply) -> bool:
    """Whether the back-end has the node's Op, and an output that can be a device array."""
    if op_info(node.op.name).gpu.stays_on_host or not any(lives_there(graph.variables[v].type) for v in node.outputs):
        return False
    return not any((graph.variables[v].type.dtype or "").startswith("complex") for v in (*node.inputs, *node.outputs))


def _called_for(graph: FunctionGraph, node: Apply, moved: set[int]) -> bool:
    """Whether the readers of a node's outputs are on the device: all of them, or, for Ops such as Alloc (`follows_clients`), any."""
    readers = [(c, k, v) for v in node.outputs for c, k in graph.clients[v]]
    wants = [c in moved and not stays_on_host(graph.applies[c].op, k, graph.variables[v].type) for c, k, v in readers]
    wants += [_is_update(graph, k) for k, v in enumerate(graph.outputs) if v in node.outputs]
    return any(wants) if op_info(node.op.name).gpu.follows_clients else bool(wants) and all(wants)


def _is_update(graph: FunctionGraph, position: int) -> bool:
    """Whether output number `position` updates a shared variable that lives on the device."""
    updated = [i for i in graph.inputs if i.update == position and i.shared is not None]
    return any(lives_there(graph.variables[i.variable].type) for i in updated)
