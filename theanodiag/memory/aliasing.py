"""Which Variables of a graph share memory, by the view_map and destroy_map of its Ops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..ir import Apply, FunctionGraph


def aliased_inputs(node: Apply, output: int) -> tuple[int, ...]:
    """Ids of the inputs of `node` that output number `output` views or overwrites."""
    positions = (*node.op.view_map.get(output, ()), *node.op.destroy_map.get(output, ()))
    return tuple(node.inputs[p] for p in positions)


def alias_sets(graph: FunctionGraph) -> Mapping[int, int]:
    """Maps each Variable that is a view or overwrites another to the root of its alias set, the Variable that owns the memory."""
    base: dict[int, int] = {}
    for node in graph.applies:
        for position, output in enumerate(node.outputs):
            sources = aliased_inputs(node, position)
            if sources:
                base[output] = base.get(sources[0], sources[0])
    return base


def may_share_memory(graph: FunctionGraph, variables: Iterable[int]) -> frozenset[int]:
    """All Variables that may share memory with one of `variables`, themselves included: the transitive closure of aliasing.

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
