"""Reads the JSON form of a live graph, as `fgraph_walk.py` writes it, into a FunctionGraph.

The form, `"schema": "theanodiag/graph/v1"` (keys may be added, not changed; ids are positions in their list):

    {"schema": "theanodiag/graph/v1", "name": "train",
     "variables": [{"id": 0, "name": "x" | null,
                    "type": {"kind": TypeKind value, "dtype": "float32" | null, "shape": [null | int, ...], "text": "TensorType(float32, matrix)"},
                    "constant": {"shape": [..], "value": scalar | nested lists} (constants only; "value" only up to 64 elements),
                    "site": {"path": "model.py", "line": 12, "function": "build", "code": "h = T.tanh(...)"} (where the framework kept a trace)}],
     "applies":   [{"op": {"name": class name, "text": str(op), "module": class's module, "params": {..JSON values..},
                           "view_map": {"0": [0]}, "destroy_map": {"0": [1]}, "inner": graph (Scan, OpFromGraph; absent otherwise)},
                    "inputs": [variable ids], "outputs": [variable ids], "after": [apply ids] (only where not empty)}],  in toposort order
     "inputs":    [{"variable": 0, "role": Role value, "shared": id (role shared), "update": position in "outputs", "borrow": true, "mutable": true}],
     "outputs":   [variable ids: returned ones first, then the updates],
     "returned":  number of returned outputs,
     "info":      {} (inner graphs: how the outer op uses it)}

A shape table, `"schema": "theanodiag/shapes/v1"`:

    {"shapes": {"variable id": [int | null, ...] | null}, "values": {"variable id": scalar | nested lists},
     "unknown": {"variable id": "reason"} (for null shapes and null dimensions), "bounded": [variable ids],
     "inner": {"apply id": shape table of one step of the inner graph}}
"""
