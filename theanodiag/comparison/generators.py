"""What generators of random numbers a graph draws from, by the types of their states."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir.graph import FunctionGraph, TypeKind

KINDS = {
    "MRG31k3p": "theano.sandbox.rng_mrg",
    "RandomState": "numpy.random.RandomState",
    "Generator": "numpy.random.Generator",
}
"""Kind -> where its numbers come from."""


def generators(graph: FunctionGraph) -> tuple[str, ...]:
    """The kinds of generators of a graph and of its loops, sorted."""
    return tuple(sorted(set(_kinds(graph))))


def _kinds(graph: FunctionGraph) -> Iterator[str]:
    for entry in graph.inputs:
        kind = graph.variables[entry.variable].type
        if kind.kind is TypeKind.RANDOM:
            yield "Generator" if "Generator" in kind.text else "RandomState"
    for node in graph.applies:
        if "mrg_uniform" in node.op.name.lower():
            yield "MRG31k3p"
        if node.op.inner is not None:
            yield from _kinds(node.op.inner)
