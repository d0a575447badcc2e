"""Evaluates a Composite on numbers by its inner graph, which PyTensor prints below the outer one."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Apply, Constant, FunctionGraph
from .scalars import FUNCTIONS, MONOTONE, canonical, cast
from .state import Number

MAX_DEPTH = 20
"""Deepest nesting of Composites."""


def evaluate(graph: FunctionGraph, values: Sequence[Number], depth: int = 0) -> list[Number]:
    """The outputs for these inputs; raises LookupError where a node cannot be evaluated."""
    if depth > MAX_DEPTH or len(values) != len(graph.inputs):
        raise LookupError(graph.name)
    known = {v.id: number for v in graph.variables if isinstance(v, Constant) and (number := _number(v)) is not None}
    known.update((i.variable, value) for i, value in zip(graph.inputs, values))
    for node in graph.applies:
        results = _results(node, [known[v] for v in node.inputs], depth)
        known.update((v, cast(r, graph.variables[v].type.dtype)) for v, r in zip(node.outputs, results))
    return [known[v] for v in graph.outputs]


def _number(constant: Constant) -> Number | None:
    return constant.value if isinstance(constant.value, (int, float)) else None


def _results(node: Apply, values: list[Number], depth: int) -> list[Number]:
    if node.op.inner is not None:
        return evaluate(node.op.inner, values, depth + 1)
    return [FUNCTIONS[name_of(node)](*values)]


def name_of(node: Apply) -> str:
    """Canonical name of a node's scalar Op; raises LookupError for one that cannot be evaluated."""
    found = canonical(str(node.op.params.get("scalar_op", node.op.name)))
    if found is None:
        raise LookupError(node.op.name)
    return found


def multiplies(graph: FunctionGraph) -> bool:
    """Whether the graph contains a product (or a further inner graph)."""
    return any(n.op.inner is not None or canonical(str(n.op.params.get("scalar_op", n.op.name))) == "Mul" for n in graph.applies)


def has_negative(graph: FunctionGraph) -> bool:
    """Whether the graph contains a negative constant."""
    return any(isinstance(v, Constant) and (number := _number(v)) is not None and number < 0 for v in graph.variables)


def is_monotone(graph: FunctionGraph) -> bool:
    """Whether upper bounds of the inputs (all >= 0) give upper bounds of the outputs."""
    return all(n.op.inner is None and canonical(str(n.op.params.get("scalar_op", n.op.name))) in MONOTONE for n in graph.applies)
