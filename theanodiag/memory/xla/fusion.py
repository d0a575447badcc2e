"""Which results XLA never writes to memory: those that it computes inside the loop of the only node that reads them."""

from __future__ import annotations

from ...ir import Apply, FunctionGraph

COMPUTED = (
    "Elemwise", "DimShuffle", "Alloc", "TensorFromScalar", "ScalarFromTensor", "Eye", "MakeVector", "SpecifyShape", "Assert",
    "CheckAndRaise", "Reshape",
)  # fmt: skip
"""Ops whose results XLA computes element by element from their inputs."""
REDUCTIONS = ("CAReduce", "Sum", "Max", "Min", "Prod", "All", "Any")
"""Ops that compute their input inside their own loop if they reduce the last axis; for other axes it may be transposed first."""
VIEWS = ("DimShuffle", "SpecifyShape", "Assert", "CheckAndRaise", "TensorFromScalar", "ScalarFromTensor", "Reshape")
"""Ops whose result has the elements of their first input, in the same order or another layout."""


def never_written(graph: FunctionGraph, on_gpu: bool) -> frozenset[int]:
    """Ids of the Variables that are never written; on a GPU those that only a Join reads are computed in its result."""
    readers = (*COMPUTED, "Join") if on_gpu else COMPUTED
    outputs = frozenset(graph.outputs)
    made = (v for node in graph.applies if _op(node) in COMPUTED for v in node.outputs if v not in outputs)
    return frozenset(v for v in made if _read_in_a_loop(graph, v, readers))


def _read_in_a_loop(graph: FunctionGraph, variable: int, loops: tuple[str, ...]) -> bool:
    readers = {node for node, _ in graph.clients[variable]}
    if len(readers) != 1:
        return False
    reader = graph.applies[next(iter(readers))]
    return _op(reader) in loops or (_op(reader) in REDUCTIONS and _along_the_last(reader, graph.variables[variable].type.ndim))


def _along_the_last(node: Apply, ndim: int) -> bool:
    axes = node.op.params.get("axis", ())
    known = None if axes is None else [a for a in axes if isinstance(a, int)] if isinstance(axes, (list, tuple)) else [axes]
    return known is None or ndim - 1 in known or -1 in known


def _op(node: Apply) -> str:
    return node.op.name
