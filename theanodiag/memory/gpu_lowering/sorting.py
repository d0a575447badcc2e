"""Topological sort of a graph whose nodes have ordering constraints (`Apply.after`) beside their inputs."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import replace

from ...ir import FunctionGraph


def sort(graph: FunctionGraph) -> tuple[FunctionGraph, Mapping[int, int]]:
    """`graph` with its nodes in topological order, respecting `after`, as near to the present order as possible; also old id -> new id."""
    waits = [{o for v in n.inputs if (o := graph.variables[v].owner) is not None} | set(n.after) for n in graph.applies]
    readers: list[list[int]] = [[] for _ in graph.applies]
    for node, needed in enumerate(waits):
        for other in needed:
            readers[other].append(node)
    left = [len(needed) for needed in waits]
    ready = [node for node, n in enumerate(left) if not n]
    order: list[int] = []
    while ready:
        node = heapq.heappop(ready)
        order.append(node)
        for reader in readers[node]:
            left[reader] -= 1
            if not left[reader]:
                heapq.heappush(ready, reader)
    return _renumbered(graph, order)


def _renumbered(graph: FunctionGraph, order: list[int]) -> tuple[FunctionGraph, Mapping[int, int]]:
    number = {old: new for new, old in enumerate(order)}
    if order == sorted(order) and len(order) == len(graph.applies):
        return graph, number
    applies = [graph.applies[old] for old in order]
    moved = tuple(replace(n, id=number[n.id], after=tuple(sorted(number[a] for a in n.after))) for n in applies)
    variables = tuple(v if v.owner is None else replace(v, owner=number[v.owner]) for v in graph.variables)
    return replace(graph, applies=moved, variables=variables), number
