"""Outputs of a function, one by one: what the function would need if it did not return them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

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


@dataclass(frozen=True)
class Alone:
    """What is computed for one output alone, in bytes; unknown sizes count as nothing."""

    made: int
    """Of the buffers that it begins; views and what is overwritten begin none."""
    touched: int
    """Of these, of the buffers that it reads, and of the one that the output is in or a view of: no more can go with the output,
    as long as the other nodes keep their order."""


def alone(graph: FunctionGraph, table: ShapeTable, position: int) -> Alone:
    """What goes where a function does not return its output number `position`."""
    rest = (*graph.outputs[:position], *graph.outputs[position + 1 :])
    kept, bases = {node.id for node in needed(graph, rest)}, alias_sets(graph)
    nodes = [node for node in graph.applies if node.id not in kept]
    output = graph.outputs[position]

    def total(variables: Iterable[int]) -> int:
        sizes = (nbytes(table.shape(v), graph.variables[v].type.dtype or "int8") for v in variables)
        return sum(size for size in sizes if isinstance(size, int))

    touched = {bases.get(v, v) for v in (output, *(v for node in nodes for v in (*node.inputs, *node.outputs)))}
    return Alone(total(v for node in nodes for v in node.outputs if bases.get(v, v) == v), total(touched))
