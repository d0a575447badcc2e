"""Writes a FunctionGraph as the JSON values that `serial.py` reads; `readers/fgraph.py` documents the format."""

from __future__ import annotations

from .graph import Apply, Constant, FunctionGraph, GraphInput, Variable
from .serial import GRAPH_SCHEMA


def graph_to_json(graph: FunctionGraph) -> dict[str, object]:
    """The graph as JSON values."""
    return {
        "schema": GRAPH_SCHEMA,
        "name": graph.name,
        "variables": [_variable_to_json(v) for v in graph.variables],
        "applies": [_apply_to_json(node) for node in graph.applies],
        "inputs": [_input_to_json(i) for i in graph.inputs],
        "outputs": list(graph.outputs),
        "returned": graph.n_returned,
        "info": dict(graph.info),
    }


def _variable_to_json(variable: Variable) -> dict[str, object]:
    kind, site = variable.type, variable.site
    row: dict[str, object] = {
        "id": variable.id,
        "name": variable.name,
        "type": {"kind": kind.kind.value, "dtype": kind.dtype, "shape": list(kind.shape), "text": kind.text},
    }
    if isinstance(variable, Constant):
        more = {"value": variable.value, "memory": variable.memory}
        row["constant"] = {"shape": list(variable.shape), **{key: value for key, value in more.items() if value is not None}}
    if site is not None:
        row["site"] = {"path": site.path, "line": site.line, "function": site.function, "code": site.code}
    return row


def _apply_to_json(node: Apply) -> dict[str, object]:
    op = node.op
    row: dict[str, object] = {"name": op.name, "text": op.text, "module": op.module, "params": dict(op.params)}
    row["view_map"] = {str(k): list(v) for k, v in op.view_map.items()}
    row["destroy_map"] = {str(k): list(v) for k, v in op.destroy_map.items()}
    if op.inner is not None:
        row["inner"] = graph_to_json(op.inner)
    entry: dict[str, object] = {"op": row, "inputs": list(node.inputs), "outputs": list(node.outputs)}
    return entry | ({"after": list(node.after)} if node.after else {})


def _input_to_json(entry: GraphInput) -> dict[str, object]:
    row: dict[str, object] = {"variable": entry.variable, "role": entry.role.value, "borrow": entry.borrow, "mutable": entry.mutable}
    for name, value in (("shared", entry.shared), ("update", entry.update)):
        if value is not None:
            row[name] = value
    return row
