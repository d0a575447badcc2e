"""Which Variables may share memory: what is a view of what, and what overwrites what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir import Apply, FunctionGraph


def aliased_inputs(node: Apply, output: int) -> tuple[int, ...]:
    """The inputs (Variable ids) whose memory output number `output` of `node` is in: viewed or overwritten ones."""
    positions = (*node.op.view_map.get(output, ()), *node.op.destroy_map.get(output, ()))
    return tuple(node.inputs[p] for p in positions)


def alias_sets(graph: FunctionGraph) -> Mapping[int, int]:
    """Variable id -> the id that stands for its alias set (the first one from which all others of the set are made)."""
    base: dict[int, int] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            sources = aliased_inputs(node, position)
            if sources:
                base[output] = base.get(sources[0], sources[0])
    return base


def may_share_memory(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """All Variables that alias one of `variables`, themselves included, and those they alias in turn.

    Source: Theano 1.0.5, compile/function_module.py, `infer_reuse_pattern`: it goes both ways along view_map and destroy_map.
    """
    neighbours: dict[int, list[int]] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            for source in aliased_inputs(node, position):
                neighbours.setdefault(output, []).append(source)
                neighbours.setdefault(source, []).append(output)
    found, todo = set(), list(variables)
    while todo:
        variable = todo.pop()
        if variable not in found:
            found.add(variable)
            todo += neighbours.get(variable, ())
    return frozenset(found)
