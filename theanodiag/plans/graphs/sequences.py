"""Finds sequences that are computed for all steps before a Scan reads them step by step: products, casts, reordered copies.

Each step of the loop could compute its own part instead. Found by going back from the sequences of Scans, over nodes that treat all steps
alike, to what exists anyway.
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
    """A sequence that is computed for all steps in advance."""

    function: int
    """Index of the function."""
    sequence: int
    """Id of the sequence."""
    steps: int
    """Number of steps."""
    arrays: tuple[int, ...]
    """Ids of the Variables that exist only for it: the sequence, and its intermediate values."""
    sources: tuple[int, ...]
    """Ids of the existing Variables from which these are computed."""
    product: bool
    """Whether a product is among them; otherwise they are copies or elementwise results."""


def find_prepared(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Prepared]:
    """Yields the sequences of at least `LEAST_STEPS` steps that only Scans read, except those of gradient Scans."""
    seen: set[int] = set()
    for node, info in scans(graph):
        if info.n_mit_mot:
            continue
        steps = steps_of(graph, table, node, info)
        for sequence in sequences(node, info) if steps is not None and steps >= LEAST_STEPS else ():
            prepared = _prepared(graph, table, function, sequence, steps or 0)
            if prepared is not None and seen.isdisjoint(prepared.arrays):
                seen.update(prepared.arrays)
                yield prepared


def in_steps(script: Script, prepared: Prepared) -> Script:
    """The script in which each step of the Scan computes its part of the sequence."""
    graph = script.functions[prepared.function].graph
    return with_shapes(script, prepared.function, shortened(graph, prepared.arrays, prepared.steps, 1))


def _prepared(graph: FunctionGraph, table: ShapeTable, function: int, sequence: int, steps: int) -> Prepared | None:
    """A sequence computed only for its Scans, with the arrays it is computed from; None if that saves no memory."""
    arrays: list[int] = []
    sources: list[int] = []
    nodes: list[Apply] = []
    todo = [sequence]
    while todo:
        v = todo.pop()
        node = graph.maker(v)
        if not _has_steps(table, v, steps):
            continue  # weights and biases have no steps
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
    """Whether a node computes the entries of each step from those of the same step alone."""
    op = op_info(node.op.name)
    if op.factors or op.rearranges or node.op.name.removeprefix("Gpu") == "Elemwise":
        return True
    return op.hands_on and not op.transfers


def _only_for_loops(graph: FunctionGraph, variable: int, known: set[int]) -> bool:
    """Whether only Scans, and the nodes that compute the sequence, read a Variable's elements."""
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
    """Whether a Variable has entries for every step."""
    shape = table.shape(variable)
    return isinstance(shape, tuple) and any(isinstance(n, int) and n >= steps and n % steps == 0 for n in shape)
