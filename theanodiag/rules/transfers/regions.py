"""Finds where values of a function leave the device and come back: the host nodes in between, and the bytes copied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, ShapeTable
from ...ops import op_info
from ...plans.pin_to_device import nbytes
from ..subject import ScriptSubject


@dataclass(frozen=True)
class Region:
    """Host nodes between copies from the device and back."""

    down: tuple[int, ...]
    """Ids of the HostFromGpu nodes before the region."""
    inside: tuple[int, ...]
    """Ids of its nodes."""
    up: tuple[int, ...]
    """Ids of the GpuFromHost nodes behind it."""

    def forced_by(self, graph: FunctionGraph) -> tuple[Apply, ...]:
        """The nodes whose Op has no GPU version."""
        return tuple(graph.applies[n] for n in self.inside if not op_info(graph.applies[n].op.name).gpu.has_counterpart)

    def copied(self, graph: FunctionGraph, table: ShapeTable) -> int:
        """Bytes copied in one call; values of unknown size are left out."""
        values = [graph.applies[n].outputs[0] for n in (*self.down, *self.up)]
        return sum(nbytes(table.shape(v), graph.variables[v].type.dtype) or 0 for v in values)


def regions(graph: FunctionGraph) -> Iterator[Region]:
    """Yields the regions of a graph; those that share nodes are merged."""
    groups: list[tuple[set[int], set[int], set[int]]] = []
    for node in graph.applies:
        if node.op.name == "GpuFromHost":
            down, inside = _behind(graph, node)
            if down:
                groups.append((down, inside, {node.id}))
    while groups:
        down, inside, up = groups.pop()
        touching = [g for g in groups if not g[0].isdisjoint(down) or not g[1].isdisjoint(inside)]
        if touching:
            for other in touching:
                groups.remove(other)
                down, inside, up = down | other[0], inside | other[1], up | other[2]
            groups.append((down, inside, up))
        else:
            yield Region(tuple(sorted(down)), tuple(sorted(inside)), tuple(sorted(up)))


def _behind(graph: FunctionGraph, node: Apply) -> tuple[set[int], set[int]]:
    """The copies from the device on which a copy to it depends, and the nodes between them."""
    down: set[int] = set()
    inside: set[int] = set()
    todo = list(node.inputs)
    while todo:
        owner = graph.variables[todo.pop()].owner
        if owner is None or owner in down or owner in inside:
            continue
        before = graph.applies[owner]
        if before.op.name == "HostFromGpu":
            down.add(owner)
        else:
            inside.add(owner)
            todo += before.inputs
    kept = {n for n in inside if _reaches(graph, n, down, inside)}
    return down, kept


def _reaches(graph: FunctionGraph, node: int, down: set[int], inside: set[int]) -> bool:
    """Whether a node depends, within the region, on a value from the device."""
    todo, seen = [node], set()
    while todo:
        here = todo.pop()
        if here in down:
            return True
        seen.add(here)
        owners = (graph.variables[v].owner for v in graph.applies[here].inputs)
        todo += [n for n in owners if n is not None and n not in seen and (n in inside or n in down)]
    return False


def largest_call(s: ScriptSubject, function: int, region: Region) -> int:
    """Most bytes copied in any call."""
    graph = s.script.functions[function].graph
    return max((region.copied(graph, call.shapes) for call in s.script.calls(function)), default=0)
