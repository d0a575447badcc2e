"""A graph as the problem that `plans.ordering` solves: the nodes that make buffers, and how long each buffer lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, ShapeTable, TypeKind, Unknown, nbytes
from ...memory.aliasing import alias_sets
from ...memory.program import DEVICE, HOST
from ..ordering import Buffer, Problem, Task


@dataclass(frozen=True)
class Ordered:
    """A problem, and the Apply id of each of its tasks. All other nodes take no memory: they run as soon as they can."""

    problem: Problem
    nodes: tuple[int, ...]


def problem_of(graph: FunctionGraph, table: ShapeTable, device: bool, round_to: int = 1) -> Ordered | Unknown:
    """The problem of a graph, for the shapes of one call; Unknown where a size is. The allocator rounds sizes up to `round_to` bytes."""
    bases = alias_sets(graph)
    sizes = _sizes(graph, table, DEVICE if device else HOST, bases)
    if isinstance(sizes, Unknown):
        return sizes
    nodes = tuple(n.id for n in graph.applies if any(sizes.get(v) for v in n.outputs))
    before = _before(graph, {node: k for k, node in enumerate(nodes)})
    sizes = {v: -(-max(1, size) // round_to) * round_to for v, size in sizes.items()} if round_to > 1 else sizes
    users, stay = _users(graph, bases, sizes, before), _stay(graph, bases)
    buffers = tuple(Buffer(size, 0 if v in stay else users[v]) for v, size in sizes.items())
    tasks = tuple(_task(graph, n, before[n], 1 << k, sizes, bases, users) for k, n in enumerate(nodes))
    return Ordered(Problem(tasks, buffers), nodes)


def needs(graph: FunctionGraph, node: Apply) -> Iterator[int]:
    """The nodes that have to run before one."""
    yield from node.after
    for v in node.inputs:
        owner = graph.variables[v].owner
        if owner is not None:
            yield owner


def _sizes(graph: FunctionGraph, table: ShapeTable, watched: frozenset[TypeKind], bases: Mapping[int, int]) -> dict[int, int] | Unknown:
    """Bytes of each Variable with which a buffer begins."""
    sizes = {}
    for v in (v for node in graph.applies for v in node.outputs):
        kind = graph.variables[v].type
        if kind.kind not in watched or bases.get(v, v) != v:
            continue
        size = nbytes(table.shape(v), kind.dtype or "int8")
        if isinstance(size, Unknown):
            return size
        sizes[v] = size
    return sizes


def _task(
    graph: FunctionGraph, node: int, before: int, own: int, sizes: Mapping[int, int], bases: Mapping[int, int], users: Mapping[int, int]
) -> Task:
    apply = graph.applies[node]
    held = {base for v in (*apply.inputs, *apply.outputs) if (base := bases.get(v, v)) in sizes}
    touched = tuple(k for k, v in enumerate(sizes) if users[v] & own)
    return Task(sum(sizes.get(v, 0) for v in apply.outputs), sum(sizes[v] for v in held), before & ~own, touched)


def _before(graph: FunctionGraph, tasks: Mapping[int, int]) -> list[int]:
    """For each Apply the tasks that have to run first, a bit for each; its own too where it is one."""
    masks = [0] * len(graph.applies)
    for node in graph.applies:
        for earlier in needs(graph, node):
            masks[node.id] |= masks[earlier]
        if node.id in tasks:
            masks[node.id] |= 1 << tasks[node.id]
    return masks


def _users(graph: FunctionGraph, bases: Mapping[int, int], sizes: Mapping[int, int], before: list[int]) -> dict[int, int]:
    """For each buffer the tasks after which it can go: of its maker, and of all that reads it or anything in it."""
    masks = dict.fromkeys(sizes, 0)
    for node in graph.applies:
        for v in (*node.inputs, *node.outputs):
            if bases.get(v, v) in masks:
                masks[bases.get(v, v)] |= before[node.id]
    return masks


def _stay(graph: FunctionGraph, bases: Mapping[int, int]) -> set[int]:
    """The buffers that stay until the call ends: outputs, and what nobody reads."""
    unread = {v.id for v in graph.variables if v.owner is not None and not graph.clients[v.id]}
    return {bases.get(v, v) for v in {*graph.outputs, *unread}}
