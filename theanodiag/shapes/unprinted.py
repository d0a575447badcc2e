"""Adds outputs that a text does not show since nothing reads them: the Op computes them all the same, and they take memory."""

from __future__ import annotations

import dataclasses
from operator import is_not

from ..ir import FunctionGraph, Variable
from ..ir.scan import has_scan_layout
from ..ops import op_info
from ..ops.registry import by_name

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
        if inner is not None and has_scan_layout(inner.info) and (made := with_unprinted(inner)) is not inner:
            applies[node.id] = dataclasses.replace(node, op=dataclasses.replace(node.op, inner=made))
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
