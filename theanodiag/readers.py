"""Builds a FunctionGraph from a compiled function of this process, or from the JSON form in which `agent/walk/graph.py` writes one.

The form, `"schema": "theanodiag/graph/v1"` (keys may be added, not changed; ids are positions in their list):

    {"schema": "theanodiag/graph/v1", "name": "train",
     "variables": [{"id": 0, "name": "x" | null,
                    "type": {"kind": TypeKind value, "dtype": "float32" | null, "shape": [null | int, ...], "text": str(type)},
                    "constant": {"shape": [..], "value": scalar | nested lists} (constants only; "value" only up to 64 elements;
                                 "memory": number of the device memory, which others may share),
                    "site": {"path": "model.py", "line": 12, "function": "build", "code": "h = ..."} (where there is a trace)}],
     "applies":   [{"op": {"name": class name, "text": str(op), "module": class's module, "params": {..JSON values..},
                           "view_map": {"0": [0]}, "destroy_map": {"0": [1]}, "inner": graph (Scan, OpFromGraph; absent otherwise)},
                    "inputs": [variable ids], "outputs": [variable ids], "after": [apply ids] (only where not empty)}],  in toposort order
     "inputs":    [{"variable": 0, "role": Role value, "shared": id (role shared), "update": position in "outputs",
                    "borrow": true, "mutable": true}],
     "outputs":   [variable ids: returned ones first, then the updates],
     "returned":  number of returned outputs,
     "info":      {} (inner graphs: how the outer op uses it; "kept_constants": device constants that only the function's memory holds)}

Among the params: "idx_list" of a Subtensor has "i" for an index that is the next input, {"slice": [start, stop, step]}, null, or a
number; "scalar_op" is the class of an Elemwise's scalar op, "scalar_text" what it prints; "inner_failure" says why an inner graph is
missing. The info of a Scan: n_seqs, n_mit_mot, n_mit_sot, n_sit_sot, n_nit_sot, n_shared_outs, n_non_seqs, n_mit_mot_outs, the taps as
mit_mot_in_slices, mit_mot_out_slices, mit_sot_in_slices, sit_sot_in_slices; as_while, gpu, allow_gc, truncate_gradient, mintaps;
mitmots_preallocated (for each mit_mot output whether it is an update of an inner input, written in place), vector_seqs, vector_outs.

A shape table, `"schema": "theanodiag/shapes/v1"`:

    {"shapes": {"variable id": [int | null, ...] | null}, "values": {"variable id": scalar | nested lists},
     "unknown": {"variable id": "reason"} (for null shapes and null dimensions), "bounded": [variable ids],
     "inner": {"apply id": shape table of one step of the inner graph}}
"""

from __future__ import annotations

import weakref
from dataclasses import replace

from .agent.walk.graph import SharedIds, Walk
from .errors import UnreadableError
from .ir import FunctionGraph
from .ir.graph import verify
from .ir.scan import scan_info
from .ir.serial import graph_from_json


def graph_from_document(document: object, name: str = "graph") -> FunctionGraph:
    """Reads a FunctionGraph from JSON. Raises `UnreadableError` if it does not have the form above.

    >>> graph_from_document({"name": "f", "variables": [], "applies": [], "inputs": [], "outputs": []}).name
    'f'
    """
    graph = written_last(graph_from_json(document, name))
    verify(graph)
    return graph


def written_last(graph: FunctionGraph) -> FunctionGraph:
    """Returns a copy of `graph` in which inner graphs of Scans have their outputs in the order of Theano's C virtual machine: mit-mot
    outputs last, as updates of the inputs that they overwrite.

    A graph compiled by Numba has them first and marks no updates.
    """
    ops = {id(n.op): n.op for n in graph.applies if n.op.inner is not None}
    rewritten = {i: replace(op, inner=_with_updates(written_last(op.inner))) for i, op in ops.items() if op.inner is not None}
    if all(rewritten[i].inner is ops[i].inner for i in rewritten):
        return graph
    return replace(graph, applies=tuple(replace(n, op=rewritten.get(id(n.op), n.op)) for n in graph.applies))


def _with_updates(inner: FunctionGraph) -> FunctionGraph:
    """The inner graph of a Scan with its mit-mot outputs marked as updates; unchanged if they are already, or for other graphs."""
    info = scan_info(inner.info)
    if info is None or any(i.update is not None for i in inner.inputs):
        return inner
    if not info.mit_mot_out or info.n_mit_mot_results:
        return inner
    n, taps_in = sum(map(len, info.mit_mot_out)), info.n_seqs + sum(map(len, info.mit_mot))
    if len(info.mit_mot) != len(info.mit_mot_out) or n > len(inner.outputs) or taps_in > len(inner.inputs):
        return inner  # the counts contradict this graph
    at, seen = info.n_seqs, len(inner.outputs) - n
    inputs, first = list(inner.inputs), seen
    for taps, out in zip(info.mit_mot, info.mit_mot_out):
        for k, tap in enumerate(out):
            inputs[at + taps.index(tap)] = replace(inputs[at + taps.index(tap)], update=seen + k)
        at, seen = at + len(taps), seen + len(out)
    return replace(inner, inputs=tuple(inputs), outputs=(*inner.outputs[n:], *inner.outputs[:n]), returned=first)


_WALKS: weakref.WeakValueDictionary[int, Walk] = weakref.WeakValueDictionary()
"""`id()` of a FunctionGraph -> the walk through the live graph from which it was read; both exist for as long as the FunctionGraph."""


def is_compiled(fn: object) -> bool:
    """Returns whether `fn` is a function that a framework compiled, so that it has a graph."""
    return hasattr(getattr(fn, "maker", fn), "fgraph")


def read_graph(fn: object, *, name: str = "", registry: SharedIds | None = None) -> FunctionGraph:
    """Read the optimized graph of a function that Theano, Theano-PyMC, Aesara or PyTensor compiled in this interpreter.

    Args:
        fn: The compiled function.
        name: Name of the function in reports. Empty: its own name.
        registry: Assigns ids to shared variables. Read several graphs with the same registry if they share variables.

    Returns:
        The graph.

    Raises:
        UnreadableError: `fn` is not a compiled function.

    >>> import sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> x = lib.tensor.matrix("x")
    >>> graph = read_graph(lib.function([x], lib.tensor.exp(x), name="f"))
    >>> graph.name, [graph.variables[i.variable].name for i in graph.inputs], len(graph.applies)
    ('f', ['x'], 1)
    """
    if not is_compiled(fn):
        raise UnreadableError(f"not a compiled function: {fn!r}", help="pass what theano.function (or pytensor.function) returned")
    walk = Walk(getattr(fn, "maker", fn), name or str(getattr(fn, "name", None) or ""), registry)
    graph = graph_from_document(walk.graph(), walk.name or "graph")
    _WALKS[id(graph)] = walk
    weakref.finalize(graph, id, walk).atexit = False  # the walk dies with the graph
    return graph


def source_of(graph: FunctionGraph) -> Walk | None:
    """Returns the walk through the live graph from which `graph` was read in this process; None if it was not read from one."""
    return _WALKS.get(id(graph))
