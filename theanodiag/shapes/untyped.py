"""Infers facts from the names and inputs of Ops, for texts that print no types: where values are stored (host, device, scalar), and
which are integers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from operator import is_not

from ..ir import Apply, FunctionGraph, Op, TypeKind, Variable
from ..ir.scan import has_scan_layout
from ..ops import op_info
from ..ops.control import numbered
from ..ops.registry import by_name
from ..ops.scalars import is_truth
from .scan_alignment import fed_by


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
    variables: set[int] = set()
    for node in graph.applies:
        name = node.op.name
        reads = name.startswith(("Gpu", "GPUA_")) and name != "GpuFromHost"
        if reads or name == "HostFromGpu":
            host = op_info(name).gpu.host_inputs
            variables.update(v for i, v in enumerate(node.inputs) if i not in host)
    return variables - whole


def generators(graph: FunctionGraph) -> set[int]:
    """Ids of the Variables that are states of random generators, before and after a draw."""
    variables: set[int] = set()
    for node in graph.applies:
        at = 1 if node.op.name == "RandomVariableWithCoreShape" else 0
        if is_draw(node.op.name):
            variables.update((*node.inputs[at : at + 1], *node.outputs[:1]))
    return variables


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
    if op_info(name).no_array:
        return TypeKind.OTHER
    scalar = name == "Elemwise" or op_info(name).shape is None
    return TypeKind.SCALAR if scalar and inputs and set(inputs) == {TypeKind.SCALAR} else TypeKind.TENSOR


Known = dict[int, set[int]]
"""Integer Variables by the `id()` of their graph: many nodes may share an inner graph."""


def whole_numbers(graph: FunctionGraph, known: Known) -> set[int]:
    """Ids of the Variables that must be, or are assumed to be, integers.

    Variables that are only cast to floats or compared with classes are not decided here.
    """
    if id(graph) in known:
        return known[id(graph)]
    known[id(graph)] = whole = set[int]()
    for node in reversed(graph.applies):
        if node.op.inner is not None and node.op.name != "Elemwise":
            whole.update(_asked_inside(node, node.op.inner, known))
        op = op_info(node.op.name)
        if op.integers_from is not None:
            whole.update(node.inputs[op.integers_from :])
        elif op.integer_input is not None:
            whole.update(node.inputs[op.integer_input : op.integer_input + 1])
        elif node.op.name.endswith("RV"):
            whole.update(node.inputs[1:2])
        if op.integer_arithmetic and not whole.isdisjoint(node.outputs):
            whole.update(_counted_with(node))
    return whole


def _asked_inside(node: Apply, inner: FunctionGraph, known: Known) -> Iterator[int]:
    """Inputs of `node` that its inner graph uses as integers."""
    whole = whole_numbers(inner, known)
    if not any(i.variable in whole for i in inner.inputs):
        return
    fed = fed_by(inner, len(node.inputs)) if node.op.name.endswith("Scan") else None
    for k, entry in enumerate(inner.inputs):
        at = numbered(inner, k) if fed is None else fed[entry.variable]
        if entry.variable in whole and at < len(node.inputs) and (fed is not None or not node.op.name.endswith("Scan")):
            yield node.inputs[at]


def _counted_with(node: Apply) -> Iterator[int]:
    """Inputs that are integers if the output is."""
    if node.op.name.removeprefix("Gpu") == "Elemwise" and not _keeps(str(node.op.params.get("scalar_op", ""))):
        return
    yield from node.inputs[: None if op_info(node.op.name).integers_from is None else 1]


def _keeps(scalar: str) -> bool:
    """Whether a scalar Op has an integer result only for integer arguments."""
    return scalar != "Cast" and not is_truth(scalar)


_BY_THEMSELVES = frozenset(
    form for name, op in by_name().items() if op.all_outputs is not None and name != "Elemwise" for form in (name, f"Gpu{name}")
)
"""Ops whose outputs are known without an inner graph."""


def with_unprinted(graph: FunctionGraph) -> FunctionGraph:
    """`graph` (of a text) with the unprinted outputs of its Ops, and of those inside its Scans; ids of existing Variables stay."""
    if graph.op_names.isdisjoint(_BY_THEMSELVES) and not any(node.op.inner is not None for node in graph.applies):
        return graph
    variables, applies = list(graph.variables), list(graph.applies)
    for node in graph.applies:
        inner = node.op.inner
        if inner is not None and has_scan_layout(inner.info) and (new_inner := with_unprinted(inner)) is not inner:
            applies[node.id] = dataclasses.replace(node, op=dataclasses.replace(node.op, inner=new_inner))
            continue
        complete = op_info(node.op.name).all_outputs
        types = complete(graph, node) if complete is not None and node.inputs and not node.op.module else None
        outputs = list(node.outputs)
        if types is None or len(types) < len(outputs):
            continue
        if len(types) == len(outputs) and all(variables[v].type.is_printed for v in outputs):
            continue
        for kind in types[len(outputs) :]:
            outputs.append(len(variables))
            variables.append(Variable(len(variables), kind, owner=node.id))
        for v, kind in zip(outputs, types):
            variables[v] = variables[v] if variables[v].type.is_printed else dataclasses.replace(variables[v], type=kind)
        applies[node.id] = dataclasses.replace(node, outputs=tuple(outputs))
    changed = any(map(is_not, applies, graph.applies))
    return dataclasses.replace(graph, variables=tuple(variables), applies=tuple(applies)) if changed else graph
