"""The order in which the frameworks number nodes: depth-first where none must wait for another one, else breadth-first.

Source: PyTensor 3.0.7 graph/traversal.py `toposort`, `walk_toposort`; Theano 1.0.5 gof/graph.py `io_toposort`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence

from .inplace import Plan
from .maps import IndexMap


def waits(plan: Plan, destroy: Mapping[int, IndexMap], backwards: bool = True) -> dict[int, list[int]]:
    """For each node that overwrites an input the other nodes that read it, or a view of it.

    The framework has them in an order that no text shows. `backwards`: who runs last stands first; the last one that a node waits for
    is the first to be freed, so that mostly explains their numbers.
    """
    found: dict[int, list[int]] = {}
    for node in plan.order:
        wanted = destroy.get(node, plan.destroys[node])
        if wanted:
            bases = plan.bases[node]
            rows = [reader for ins in wanted.values() for i in ins for reader in plan.readers[bases[i]][:: -1 if backwards else 1]]
            rows = [reader for reader in rows if reader != node]
            if rows:
                found[node] = rows
    return found


def number(plan: Plan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The nodes in the framework's order, where some must wait for others."""
    return breadth_first(plan, before) if before else iter(depth_first(plan))


def breadth_first(plan: Plan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The order of the nodes where some must wait for others. A Variable is its number v, node n is ~n."""

    left: dict[int, int] = {}
    clients: dict[int, list[int]] = {}
    sources: deque[int] = deque()
    owners, inputs, todo = plan.owners, plan.inputs, list(plan.results)
    while todo:
        thing = todo.pop()
        if thing in left:
            continue
        if thing < 0:
            rows, node = inputs[~thing], ~thing
        else:
            node = owners[thing]
            rows = () if node < 0 else (~node,)
        if node in before:
            rows = [*rows, *[~b for b in before[node]]]
        rows = rows if len(rows) < 2 else list(dict.fromkeys(rows))
        left[thing] = len(rows)
        for row in rows:
            clients.setdefault(row, []).append(thing)
        if not rows:
            sources.append(thing)
        todo += rows
    return (~t for t in _freed(sources, left, clients) if t < 0)


def _freed(sources: deque[int], left: dict[int, int], clients: Mapping[int, Sequence[int]]) -> Iterator[int]:
    while sources:
        thing = sources.popleft()
        yield thing
        for client in clients.get(thing, ()):
            left[client] -= 1
            if not left[client]:
                sources.append(client)


def depth_first(plan: Plan) -> list[int]:
    """The order of the nodes, from the results down."""
    done, makers = bytearray(len(plan.names)), plan.makers
    order: list[int] = []
    todo = [owner for v in plan.results if (owner := plan.owners[v]) >= 0]
    while todo:
        node = todo[-1]
        if not done[node]:
            missing = [maker for maker in makers[node] if not done[maker]]
            if missing:
                todo += missing
                continue
            done[node] = 1
            order.append(node)
        todo.pop()
    return order
