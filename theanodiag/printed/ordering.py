"""Orders the nodes of a printed graph, and finds those that must follow others whose inputs they overwrite."""

from __future__ import annotations

from collections.abc import Sequence

from ..ops import IndexMap

Edges = Sequence[Sequence[int]]
"""For each node, numbers of other nodes or Variables."""


def readers_before(inputs: Edges, outputs: Edges, views: Sequence[IndexMap], destroys: Sequence[IndexMap]) -> list[tuple[int, ...]]:
    """For each node, the nodes that read what it overwrites, or a view of that. Source: Theano 1.0.5 gof/destroyhandler.py, `orderings`."""
    root: dict[int, int] = {}
    for node, view in enumerate(views):
        for out, ins in view.items() if view else ():
            source = inputs[node][ins[0]]
            root[outputs[node][out]] = root.get(source, source)
    first: dict[int, int] = {}
    for node, destroy in enumerate(destroys):
        for ins in destroy.values() if destroy else ():
            for at in ins:
                source = inputs[node][at]
                first.setdefault(root.get(source, source), node)
    readers: dict[int, dict[int, None]] = {}
    for node, row in enumerate(inputs) if first else ():
        for variable in row:
            base = root.get(variable, variable) if root else variable
            if base in first and first[base] != node:
                readers.setdefault(first[base], {})[node] = None
    return [tuple(readers[node]) if node in readers else () for node in range(len(inputs))]


def schedule(inputs: Edges, before: Edges) -> list[int]:
    """A topological order by `inputs` (numbers of nodes) that respects `before` where possible."""
    order: list[int] = []
    state = [0] * len(inputs)  # 0 new, 1 open, 2 placed
    for first in range(len(inputs)):
        stack = [(first, iter((*inputs[first], *before[first])))] if not state[first] else []
        state[first] = state[first] or 1
        while stack:
            node, rest = stack[-1]
            below = next((n for n in rest if state[n] == 0), None)
            if below is None:
                stack.pop()
                state[node] = 2
                order.append(node)
            else:
                state[below] = 1
                stack.append((below, iter((*inputs[below], *before[below]))))
    return order


def fits(order: Sequence[int], owners: Edges) -> bool:
    """Whether `order` is topological: each node comes after those that make its inputs."""
    done = bytearray(len(order))
    for node in order:
        for owner in owners[node]:
            if not done[owner]:
                return False
        done[node] = 1
    return True
