"""What PyTensor 3.3 also overwrites inside of a Scan that Numba runs, and no text says: values that recurrences of several taps replace.

Source: PyTensor 3.3.7 scan/op.py (`Scan.prepare_fgraph`: what is written in place is mutable), tensor/rewriting/elemwise.py.
"""

from __future__ import annotations

from dataclasses import replace

from ...ir import Apply, FunctionGraph
from .inplace import ELEMENTWISE


def overwriting(graph: FunctionGraph) -> FunctionGraph | None:
    """`graph` where its Scans do so; None where that is nothing."""
    applies = tuple(_scan(node) for node in graph.applies)
    return None if all(a is b for a, b in zip(applies, graph.applies)) else replace(graph, applies=applies)


def _scan(node: Apply) -> Apply:
    """A Scan with the inner graph that overwrites; any other node as it is."""
    inner = node.op.inner
    made = inner and _inside(inner)
    return node if made is inner else replace(node, op=replace(node.op, inner=made))


def _inside(inner: FunctionGraph) -> FunctionGraph:
    found = inner
    for entry in inner.inputs:
        if entry.update is not None and inner.clients[entry.variable]:
            found = _over(found, entry.variable)
    return found


def _over(inner: FunctionGraph, variable: int) -> FunctionGraph:
    """The graph where the last node that reads `variable` makes its first other result over it, if it can."""
    last, position = inner.clients[variable][-1]
    node = inner.applies[last]
    taken = {i for ins in node.op.destroy_map.values() for i in ins}
    if node.op.name not in ELEMENTWISE or position in taken or node.inputs.count(variable) > 1:
        return inner
    kind = inner.variables[variable].type
    for k, made in enumerate(node.outputs):
        if made not in inner.outputs and k not in node.op.destroy_map and inner.variables[made].type == kind:
            op = replace(node.op, destroy_map={**node.op.destroy_map, k: (position,)})
            return replace(inner, applies=(*inner.applies[:last], replace(node, op=op), *inner.applies[last + 1 :]))
    return inner
