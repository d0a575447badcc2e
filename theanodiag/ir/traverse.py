"""Traversals of a FunctionGraph; all are iterative and linear in its size."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace

from ..ops import op_info
from .graph import Apply, FunctionGraph


def graphs(graph: FunctionGraph) -> Iterator[tuple[FunctionGraph, tuple[int, ...]]]:
    """The graph and all inner graphs, outer before inner, each with the ids of the Apply nodes that enclose it."""
    pending: list[tuple[FunctionGraph, tuple[int, ...]]] = [(graph, ())]
    while pending:
        here, path = pending.pop()
        yield here, path
        inner = [(node.op.inner, (*path, node.id)) for node in here.applies if node.op.inner is not None]
        pending.extend((g, p) for g, p in reversed(inner) if g is not None)


def ancestors(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """`variables` and every Variable from which they are computed."""
    found = set(variables)
    pending = list(found)
    while pending:
        owner = graph.variables[pending.pop()].owner
        new = [] if owner is None else [v for v in graph.applies[owner].inputs if v not in found]
        found.update(new)
        pending.extend(new)
    return frozenset(found)


def needed(graph: FunctionGraph, outputs: Sequence[int] | None = None) -> tuple[Apply, ...]:
    """The nodes needed to compute `outputs` (by default all outputs), in the graph's order."""
    wanted = ancestors(graph, graph.outputs if outputs is None else outputs)
    return tuple(node for node in graph.applies if not wanted.isdisjoint(node.outputs))


def renumbered(graph: FunctionGraph, order: Sequence[int]) -> FunctionGraph:
    """`graph` with its nodes in the given order, a permutation of their ids, and with new ids."""
    place = {old: new for new, old in enumerate(order)}
    applies = tuple(
        replace(graph.applies[old], id=new, after=tuple(place[a] for a in graph.applies[old].after)) for new, old in enumerate(order)
    )
    variables = tuple(v if v.owner is None else replace(v, owner=place[v.owner]) for v in graph.variables)
    return replace(graph, applies=applies, variables=variables)


def reaches(start: int, targets: Container[int], followers: Callable[[int], Iterable[int]]) -> bool:
    """Whether one of `targets` can be reached from `start`; `followers` gives the direct successors of an id."""
    todo, seen = [start], {start}
    while todo:
        for follower in followers(todo.pop()):
            if follower in targets:
                return True
            if follower not in seen:
                seen.add(follower)
                todo.append(follower)
    return False


def is_buffer(variable: int, maker: Callable[[int], tuple[str, Sequence[int]] | None]) -> bool:
    """Whether a Variable, or the one that it is a subtensor of, is a buffer made for a Scan to write into.

    `maker` returns the class of the Op that computes a Variable and the Op's inputs; None for a Variable without an owner.
    """
    for _ in range(3):
        made = maker(variable)
        if made is None or not op_info(made[0]).part_of_input or not made[1]:
            return made is not None and op_info(made[0]).fills_scan_buffer
        variable = made[1][0]
    return False
