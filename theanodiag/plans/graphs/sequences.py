"""Sequences that are made for all steps before a Scan reads them one by one: a product with weights, a cast, a copy in another order.

What is made for nothing but the steps of loops need not be there for all of them: a step can make its own part. Found by going back from
what a Scan reads one entry of at each step, over nodes that make every step alike, to what is there anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph, ShapeTable
from ...memory.script import Script
from ...ops import op_info
from .edit import with_shapes
from .long_scans import LEAST_STEPS, info_of, scans, sequences, shortened, steps_of


@dataclass(frozen=True)
class Prepared:
    """A sequence that is made for all steps."""

    function: int
    sequence: int
    steps: int
    arrays: tuple[int, ...]
    """What is there for it alone: the sequence, and what it is made of."""
    sources: tuple[int, ...]
    """What these are made of."""
    product: bool
    """Whether a product is among them; else it is copied or computed entry by entry."""


def find_prepared(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Prepared]:
    """The sequences of Scans of at least `LEAST_STEPS` steps that nothing but Scans read; those of a gradient are made by loops."""
    seen: set[int] = set()
    for node, info in scans(graph):
        if info.n_mit_mot:
            continue
        steps = steps_of(graph, table, node, info)
        for sequence in sequences(node, info) if steps is not None and steps >= LEAST_STEPS else ():
            found = _prepared(graph, table, function, sequence, steps or 0)
            if found is not None and seen.isdisjoint(found.arrays):
                seen.update(found.arrays)
                yield found


def in_steps(script: Script, prepared: Prepared) -> Script:
    """The script in which each step makes its own part."""
    graph = script.functions[prepared.function].graph
    return with_shapes(script, prepared.function, shortened(graph, prepared.arrays, prepared.steps, 1))


def _prepared(graph: FunctionGraph, table: ShapeTable, function: int, sequence: int, steps: int) -> Prepared | None:
    """None where it is there anyway."""
    arrays: list[int] = []
    sources: list[int] = []
    nodes: list[Apply] = []
    todo = [sequence]
    while todo:
        v = todo.pop()
        owner = graph.variables[v].owner
        node = None if owner is None else graph.applies[owner]
        if not _has_steps(table, v, steps):
            continue  # weights, biases
        if node is None or not _is_step_by_step(node) or not _only_for_loops(graph, v, {sequence, *arrays}):
            sources.append(v)
        elif v not in arrays:
            arrays.append(v)
            nodes.append(node)
            todo += node.inputs
    makers = [n for n in nodes if not n.op.view_map]
    if not makers or not sources:
        return None
    product = any(op_info(n.op.name).factors for n in makers)
    return Prepared(function, sequence, steps, tuple(arrays), tuple(dict.fromkeys(sources)), product)


def _is_step_by_step(node: Apply) -> bool:
    """Whether a node makes the entries of a step of those of the same step (a copy to the device is the data itself)."""
    op = op_info(node.op.name)
    if op.factors or op.rearranges or node.op.name.removeprefix("Gpu") == "Elemwise":
        return True
    return op.hands_on and not op.transfers


def _only_for_loops(graph: FunctionGraph, variable: int, known: set[int]) -> bool:
    """Whether only Scans, and what the sequence is made by, read a Variable; numbers such as its length are no reading."""
    if variable in graph.outputs:
        return False
    for client, _ in graph.clients[variable]:
        node = graph.applies[client]
        if info_of(node) is not None or node.op.name.endswith(("Shape", "Shape_i")) or not known.isdisjoint(node.outputs):
            continue
        if not node.op.view_map or not _only_for_loops(graph, node.outputs[0], known):
            return False
    return True


def _has_steps(table: ShapeTable, variable: int, steps: int) -> bool:
    """Whether there are entries for every step."""
    shape = table.shape(variable)
    return isinstance(shape, tuple) and any(isinstance(n, int) and n >= steps and n % steps == 0 for n in shape)
