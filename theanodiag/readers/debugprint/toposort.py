"""The order in which the frameworks number nodes: depth-first where none must wait for another one, else breadth-first.

Source: PyTensor 3.0.7 graph/traversal.py `toposort`, `walk_toposort`; Theano 1.0.5 gof/graph.py `io_toposort`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from .inplace import Plan
from .maps import IndexMap


def waits(plan: Plan, destroy: Mapping[int, IndexMap]) -> dict[int, list[int]]:
    """For each node that overwrites an input the other nodes that read it, or a view of it."""
    found: dict[int, list[int]] = {}
    for node in plan.order:
        wanted = destroy.get(node, plan.destroys[node])
        if wanted:
            bases = plan.bases[node]
            rows = [reader for ins in wanted.values() for i in ins for reader in plan.readers[bases[i]] if reader != node]
            if rows:
                found[node] = rows
    return found


def number(plan: Plan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The nodes in the framework's order, where some must wait for others."""
    return breadth_first(plan, before) if before else iter(depth_first(plan))


def breadth_first(plan: Plan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The order of the nodes where some must wait for others. A Variable is its number v, node n is ~n."""

    left: dict[int, set[int]] = {}
    clients: dict[int, list[int]] = {}
    sources: deque[int] = deque()
    variables, inputs, todo = plan.variables, plan.inputs, list(plan.results)
    while todo:
        thing = todo.pop()
        if thing in left:
            continue
        if thing < 0:
            rows = [*inputs[~thing], *(~b for b in before.get(~thing, ()))]
        else:
            owner = variables[thing].owner
            rows = [] if owner is None else [~owner, *(~b for b in before.get(owner, ()))]
        left[thing] = set(rows)
        for row in rows:
            clients.setdefault(row, []).append(thing)
        if not rows:
            sources.append(thing)
        todo += rows
    return (~t for t in _freed(sources, left, clients) if t < 0)


def _freed(sources: deque[int], left: Mapping[int, set[int]], clients: Mapping[int, Sequence[int]]) -> Iterator[int]:
    done: set[int] = set()
    while sources:
        thing = sources.popleft()
        if thing in done:
            continue
        done.add(thing)
        yield thing
        for client in clients.get(thing, ()):
            waiting = left[client]
            waiting.discard(thing)
            if not waiting:
                sources.append(client)


def depth_first(plan: Plan) -> list[int]:
    """The order of the nodes, from the results down."""
    done: set[int] = set()
    order: list[int] = []
    todo = list(plan.results)
    while todo:
        node = plan.variables[todo[-1]].owner
        missing = [] if node is None or node in done else _missing(plan, node, done)
        if missing:
            todo += missing
            continue
        todo.pop()
        if node is not None and node not in done:
            done.add(node)
            order.append(node)
    return order


def _missing(plan: Plan, node: int, done: set[int]) -> list[int]:
    """The inputs of a node that are still to be computed."""
    return [v for v in plan.inputs[node] if (owner := plan.variables[v].owner) is not None and owner not in done]
