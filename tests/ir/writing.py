"""Graphs and shape tables as the JSON that the hook writes: what `theanodiag.ir.serial` reads."""

from __future__ import annotations

from theanodiag.ir import Apply, Constant, FunctionGraph, GraphInput, Shape, ShapeTable, Unknown, Variable
from theanodiag.ir.serial import GRAPH_SCHEMA

SHAPES_SCHEMA = "theanodiag/shapes/v1"


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


def table_to_json(table: ShapeTable) -> dict[str, object]:
    """The shape table as JSON values."""
    unknown = {str(i): reason for i, shape in table.shapes.items() if (reason := _reason(shape)) is not None}
    return {
        "schema": SHAPES_SCHEMA,
        "shapes": {str(i): _shape_to_json(shape) for i, shape in table.shapes.items()},
        "values": {str(i): value for i, value in table.values.items()},
        "unknown": unknown,
        "bounded": sorted(table.bounded),
        "inner": {str(i): table_to_json(inner) for i, inner in table.inner.items()},
    }


def _shape_to_json(shape: Shape | Unknown) -> list[int | None] | None:
    if isinstance(shape, Unknown):
        return None
    return [None if isinstance(d, Unknown) else d for d in shape]


def _reason(shape: Shape | Unknown) -> str | None:
    if isinstance(shape, Unknown):
        return shape.reason
    return next((d.reason for d in shape if isinstance(d, Unknown)), None)
