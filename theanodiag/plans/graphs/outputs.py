"""Outputs of a function, one by one: what the function would need if it did not return them."""

from __future__ import annotations

from dataclasses import replace

from ...ir import FunctionGraph, ShapeTable, nbytes
from ...ir.traverse import needed
from ...memory.aliasing import alias_sets
from ...memory.script import Call, Event, Script
from .edit import pruned, with_graph


def without_output(script: Script, function: int, position: int) -> Script:
    """The script in which a function does not return its output number `position`; what only that needs is not computed."""
    graph = script.functions[function].graph
    outputs = (*graph.outputs[:position], *graph.outputs[position + 1 :])
    inputs = tuple(i if i.update is None else replace(i, update=i.update - 1) for i in graph.inputs)
    fewer = replace(graph, outputs=outputs, inputs=inputs, returned=graph.n_returned - 1)
    changed = with_graph(script, function, pruned(fewer))

    def event(e: Event) -> Event:
        if not isinstance(e, Call) or e.function != function:
            return e
        held = tuple((p - (p > position), n) for p, n in e.device_results if p != position)
        return replace(e, device_results=held)

    return replace(changed, events=tuple(map(event, changed.events)))


def bytes_of_its_own(graph: FunctionGraph, table: ShapeTable, position: int) -> int:
    """What is computed for this output alone, in bytes; views and what is overwritten count as nothing, as do unknown sizes."""
    rest = (*graph.outputs[:position], *graph.outputs[position + 1 :])
    kept, bases = {node.id for node in needed(graph, rest)}, alias_sets(graph)
    alone = [v for node in graph.applies if node.id not in kept for v in node.outputs if bases.get(v, v) == v]
    sizes = (nbytes(table.shape(v), graph.variables[v].type.dtype or "int8") for v in alone)
    return sum(size for size in sizes if isinstance(size, int))
