"""The memory that a function would need without one of its outputs."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, replace

from ...ir import Apply, FunctionGraph, ShapeTable, nbytes
from ...memory.execution_plan import alias_sets
from ...memory.script import Call, Event, Script
from .edit import pruned, with_graph


def without_output(script: Script, function: int, position: int) -> Script:
    """The script without output number `position` of a function, and without the nodes that only it needs."""
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
    """Memory used only to compute one output, in bytes; unknown sizes count as 0."""

    made: int
    """Bytes of the buffers allocated for it, without views and in-place results."""
    touched: int
    """Upper bound of the bytes saved by removing the output, if the other nodes keep their order.

    It is the bytes of the buffers in `made`, of the buffers that it reads, and of that of the output.
    """


def alone(graph: FunctionGraph, table: ShapeTable, positions: Container[int]) -> dict[int, Alone]:
    """For each output in `positions`: the memory used only to compute it."""
    nodes, bases = _only_for(graph, positions), alias_sets(graph)

    def total(variables: Iterable[int]) -> int:
        sizes = (nbytes(table.shape(v), graph.variables[v].type.dtype or "int8") for v in variables)
        return sum(size for size in sizes if isinstance(size, int))

    needs = {}
    for position, rows in nodes.items():
        touched = {bases.get(v, v) for v in (graph.outputs[position], *(v for node in rows for v in (*node.inputs, *node.outputs)))}
        needs[position] = Alone(total(v for node in rows for v in node.outputs if bases.get(v, v) == v), total(touched))
    return needs


_SEVERAL = -1


def _only_for(graph: FunctionGraph, positions: Container[int]) -> dict[int, list[Apply]]:
    """The nodes needed for one output alone, by its position."""
    needed_by: dict[int, int] = {}
    for position, v in enumerate(graph.outputs):
        needed_by[v] = _SEVERAL if v in needed_by else position
    nodes: dict[int, list[Apply]] = {k: [] for k in range(len(graph.outputs)) if k in positions}
    for node in reversed(graph.applies):
        by = [needed_by[v] for v in node.outputs if v in needed_by]
        if not by:
            continue
        one = by[0] if by.count(by[0]) == len(by) else _SEVERAL
        if one in nodes:
            nodes[one].append(node)
        for v in node.inputs:
            needed_by[v] = one if needed_by.get(v, one) == one else _SEVERAL
    return nodes
