"""A graph as the problem that `plans.ordering` solves: the nodes that make buffers, and how long each buffer lives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, ShapeTable, TypeKind, Unknown, nbytes
from ...memory.aliasing import alias_sets
from ...memory.execution_plan import DEVICE, HOST
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
    before, after = _masks(graph, {node: k for k, node in enumerate(nodes)})
    sizes = {v: -(-max(1, size) // round_to) * round_to for v, size in sizes.items()} if round_to > 1 else sizes
    users, stay = _users(graph, bases, sizes, after), _stay(graph, bases)
    buffers = tuple(Buffer(size, 0 if v in stay else users[v]) for v, size in sizes.items())
    touched: list[list[int]] = [[] for _ in nodes]
    for k, mask in enumerate(users.values()):
        for task in _bits(mask):
            touched[task].append(k)
    tasks = tuple(_task(graph.applies[n], before[n], touched[k], sizes, bases) for k, n in enumerate(nodes))
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


def _task(node: Apply, before: int, touched: Sequence[int], sizes: Mapping[int, int], bases: Mapping[int, int]) -> Task:
    held = {base for v in (*node.inputs, *node.outputs) if (base := bases.get(v, v)) in sizes}
    return Task(sum(sizes.get(v, 0) for v in node.outputs), sum(sizes[v] for v in held), before, tuple(touched))


def _masks(graph: FunctionGraph, tasks: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """For each Apply the tasks before it and those after which it has run, a bit for each: the nearest, what these need ran earlier."""
    before, after = [0] * len(graph.applies), [0] * len(graph.applies)
    for node in graph.applies:
        for earlier in needs(graph, node):
            before[node.id] |= after[earlier]
        after[node.id] = 1 << tasks[node.id] if node.id in tasks else before[node.id]
    return before, after


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _users(graph: FunctionGraph, bases: Mapping[int, int], sizes: Mapping[int, int], after: list[int]) -> dict[int, int]:
    """For each buffer the tasks after which it can go: of its maker, and of all that reads it or anything in it."""
    masks = dict.fromkeys(sizes, 0)
    for node in graph.applies:
        for v in (*node.inputs, *node.outputs):
            if bases.get(v, v) in masks:
                masks[bases.get(v, v)] |= after[node.id]
    return masks


def _stay(graph: FunctionGraph, bases: Mapping[int, int]) -> set[int]:
    """The buffers that stay until the call ends: outputs, and what nobody reads."""
    unread = {v.id for v in graph.variables if v.owner is not None and not graph.clients[v.id]}
    return {bases.get(v, v) for v in {*graph.outputs, *unread}}
