"""Simulates what frees arrays earlier: another order of evaluation (by the linker, or the order of the outputs), or one output less."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ...ir import Apply, FunctionGraph, ShapeTable, nbytes
from ...memory.execution_plan import alias_sets
from ...memory.profile import ProcessProfile
from ...memory.script import Call, CompiledFunction, Event, Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures
from .edit import pruned, with_graph

MOST_OUTPUTS = 4
"""Maximum number of outputs that are tried in another position."""
MOST_NODES = 2000
"""Larger graphs are not tried."""


@dataclass(frozen=True)
class ReorderedRun:
    """A change by the user that changes the order, and the simulation with it."""

    words: str
    """Description of the change."""
    code: str
    """Python to paste; empty where it is a flag."""
    process: ProcessProfile
    """The simulation of the script with it."""
    flags: str = ""
    """The flag to set, such as `linker=c|py`."""


def reordered_runs(script: Script, settings: MemorySettings, function: int) -> Iterator[ReorderedRun]:
    """Yields runs with other orders. Yields none if the graph is not the one that really runs, or if all arrays are kept
    (`allow_gc=False`).
    """
    old = script.functions[function]
    if settings.lift or not settings.allow_gc or len(old.graph.applies) > MOST_NODES:
        return
    if old.linker == "cvm":
        with_linker = simulate_figures(with_function(script, replace(old, linker="c|py")), settings)
        yield ReorderedRun("linker=c|py runs the nodes as they are listed", "", with_linker, "linker=c|py")
    tried = {old.graph.outputs}
    for place in range(min(old.graph.n_returned, MOST_OUTPUTS)):
        rest = [k for k in range(old.graph.n_returned) if k != place]
        for where, order in (("first", [place, *rest]), ("last", [*rest, place])):
            moved = reordered(old, order)
            if moved.graph.outputs not in tried:
                tried.add(moved.graph.outputs)
                code = f"outputs = [outputs[k] for k in {order}]  # the order of the results too"
                yield ReorderedRun(f"output {place} as the {where} one", code, simulate_figures(with_function(script, moved), settings))


def with_function(script: Script, function: CompiledFunction) -> Script:
    """Returns the script with `function` in place of the one with the same index."""
    return replace(script, functions=tuple(function if f.index == function.index else f for f in script.functions))


def reordered(function: CompiledFunction, order: Sequence[int]) -> CompiledFunction:
    """Returns the function with the outputs that it returns in another order."""
    graph = function.graph
    outputs = (*(graph.outputs[k] for k in order), *graph.outputs[graph.n_returned :])
    return replace(function, graph=replace(graph, outputs=outputs))


def without_output(script: Script, function: int, position: int) -> Script:
    """Returns the script without output number `position` of a function, and without the nodes that only it needs."""
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
    """The memory that is used only to compute one output, in bytes; unknown sizes count as 0."""

    made: int
    """Bytes of the buffers allocated for it, without views and in-place results."""
    touched: int
    """Upper bound of the bytes saved by removing the output, if the other nodes keep their order.

    It is the bytes of the buffers in `made`, of the buffers that it reads, and of that of the output.
    """


def alone(graph: FunctionGraph, table: ShapeTable, positions: Container[int]) -> dict[int, Alone]:
    """Returns for each output in `positions`: the memory used only to compute it."""
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
