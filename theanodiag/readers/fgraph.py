"""Reads the JSON form of a live graph, as `fgraph_walk.py` writes it, into a FunctionGraph.

The form, `"schema": "theanodiag/graph/v1"` (keys may be added, not changed; ids are positions in their list):

    {"schema": "theanodiag/graph/v1", "name": "train",
     "variables": [{"id": 0, "name": "x" | null,
                    "type": {"kind": TypeKind value, "dtype": "float32" | null, "shape": [null | int, ...], "text": str(type)},
                    "constant": {"shape": [..], "value": scalar | nested lists} (constants only; "value" only up to 64 elements),
                    "site": {"path": "model.py", "line": 12, "function": "build", "code": "h = ..."} (where there is a trace)}],
     "applies":   [{"op": {"name": class name, "text": str(op), "module": class's module, "params": {..JSON values..},
                           "view_map": {"0": [0]}, "destroy_map": {"0": [1]}, "inner": graph (Scan, OpFromGraph; absent otherwise)},
                    "inputs": [variable ids], "outputs": [variable ids], "after": [apply ids] (only where not empty)}],  in toposort order
     "inputs":    [{"variable": 0, "role": Role value, "shared": id (role shared), "update": position in "outputs",
                    "borrow": true, "mutable": true}],
     "outputs":   [variable ids: returned ones first, then the updates],
     "returned":  number of returned outputs,
     "info":      {} (inner graphs: how the outer op uses it)}

A shape table, `"schema": "theanodiag/shapes/v1"`:

    {"shapes": {"variable id": [int | null, ...] | null}, "values": {"variable id": scalar | nested lists},
     "unknown": {"variable id": "reason"} (for null shapes and null dimensions), "bounded": [variable ids],
     "inner": {"apply id": shape table of one step of the inner graph}}
"""

from __future__ import annotations

from ..ir import FunctionGraph, ShapeTable, Site, Type
from ..ir.serial import graph_from_json, site_from_json, table_from_json, type_from_json
from ..ir.verify import verify


def read_graph(document: object, name: str = "graph") -> FunctionGraph:
    """The FunctionGraph in a JSON document; raises `UnreadableError` where it does not have the form above.

    >>> read_graph({"name": "f", "variables": [], "applies": [], "inputs": [], "outputs": []}).name
    'f'
    """
    graph = graph_from_json(document, name)
    verify(graph)
    return graph


def read_shapes(document: object, name: str = "shapes") -> ShapeTable:
    """The ShapeTable in a JSON document; raises `UnreadableError` where it does not have the form above.

    >>> read_shapes({"shapes": {"0": [2, 3]}}).shape(0)
    (2, 3)
    """
    return table_from_json(document, name)


def read_type(document: object) -> Type:
    """The Type in a JSON document of the form of a Variable's `type`."""
    return type_from_json(document)


def read_site(document: object) -> Site | None:
    """The Site in a JSON document of the form of a Variable's `site`; None for null."""
    return site_from_json(document)
