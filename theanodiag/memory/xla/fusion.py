"""Which results XLA never writes to a GPU's memory: those that it computes inside the loop of the only node that reads them."""

from __future__ import annotations

from collections.abc import Callable

from ...ir import Apply, FunctionGraph

LOOPS = (
    "Elemwise", "DimShuffle", "Alloc", "TensorFromScalar", "ScalarFromTensor", "Eye", "MakeVector", "SpecifyShape", "Assert",
    "CheckAndRaise", "Reshape", "Subtensor", "ARange",
)  # fmt: skip
"""Ops whose results XLA computes element by element from their inputs."""
REDUCTIONS = ("CAReduce", "Sum", "Max", "Min", "Prod", "All", "Any")
"""Ops that compute their input inside their own loop if they reduce the last axis; for other axes it may be transposed first."""
VIEWS = ("DimShuffle", "SpecifyShape", "Assert", "CheckAndRaise", "TensorFromScalar", "ScalarFromTensor", "Reshape")
"""Ops whose result has the elements of their first input, in the same order or another layout."""


FEW = 1 << 16
"""Bytes of a value up to which nothing is taken for granted: XLA may write it although one loop would do, and in memory of its own."""


def never_written(graph: FunctionGraph, size: Callable[[int], int]) -> frozenset[int]:
    """Ids of the Variables that XLA never writes on a GPU; those that only a Join reads are computed in its result."""
    outputs = frozenset(graph.outputs)
    made = (v for node in graph.applies if node.op.name in LOOPS for v in node.outputs if v not in outputs)
    return frozenset(v for v in made if size(v) > FEW and _read_in_a_loop(graph, v))


def _read_in_a_loop(graph: FunctionGraph, variable: int) -> bool:
    readers = {node for node, _ in graph.clients[variable]}
    if len(readers) != 1:
        return False
    reader = graph.applies[next(iter(readers))]
    if reader.op.name in REDUCTIONS:
        return reduces_last(reader, graph.variables[variable].type.ndim)
    return reader.op.name in (*LOOPS, "Join")


def reduces_last(node: Apply, ndim: int) -> bool:
    """Whether a reduction sums over the last axis of an input of `ndim` dimensions, maybe among others."""
    axes = node.op.params.get("axis", ())
    known = None if axes is None else [a for a in axes if isinstance(a, int)] if isinstance(axes, (list, tuple)) else [axes]
    return known is None or ndim - 1 in known or -1 in known
