"""Tells which Variables are integers, for texts that print no types: those that Ops use as positions, lengths, conditions or classes.

Use is followed backwards through integer arithmetic.
Sources: `make_node` of the Ops in Theano 1.0.5, tensor/subtensor.py, tensor/basic.py, tensor/nnet/nnet.py, ifelse.py; the same in Aesara
and PyTensor.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import Apply, FunctionGraph
from ..ops import op_info
from .dtypes import is_truth
from .inner import numbered
from .scan_alignment import fed_by

Known = dict[int, set[int]]
"""Integer Variables by the `id()` of their graph: many nodes may share an inner graph."""


def whole_numbers(graph: FunctionGraph, known: Known) -> set[int]:
    """Ids of the Variables that must be, or are assumed to be, integers.

    Variables that are only cast to floats or compared with classes are not decided here.
    """
    if id(graph) in known:
        return known[id(graph)]
    known[id(graph)] = found = set[int]()
    for node in reversed(graph.applies):
        if node.op.inner is not None and node.op.name != "Elemwise":
            found.update(_asked_inside(node, node.op.inner, known))
        op = op_info(node.op.name)
        if op.integers_from is not None:
            found.update(node.inputs[op.integers_from :])
        elif op.integer_input is not None:
            found.update(node.inputs[op.integer_input : op.integer_input + 1])
        elif node.op.name.endswith("RV"):
            found.update(node.inputs[1:2])
        if op.integer_arithmetic and not found.isdisjoint(node.outputs):
            found.update(_counted_with(node))
    return found


def _asked_inside(node: Apply, inner: FunctionGraph, known: Known) -> Iterator[int]:
    """Inputs of `node` that its inner graph uses as integers."""
    whole = whole_numbers(inner, known)
    if not any(i.variable in whole for i in inner.inputs):
        return
    fed = fed_by(inner, len(node.inputs)) if node.op.name.endswith("Scan") else None
    for k, entry in enumerate(inner.inputs):
        at = numbered(inner, k) if fed is None else fed[entry.variable]
        if entry.variable in whole and at < len(node.inputs) and (fed is not None or not node.op.name.endswith("Scan")):
            yield node.inputs[at]


def _counted_with(node: Apply) -> Iterator[int]:
    """Inputs that are integers if the output is."""
    if node.op.name.removeprefix("Gpu") == "Elemwise" and not _keeps(str(node.op.params.get("scalar_op", ""))):
        return
    yield from node.inputs[: None if op_info(node.op.name).integers_from is None else 1]


def _keeps(scalar: str) -> bool:
    """Whether a scalar Op has an integer result only for integer arguments."""
    return scalar != "Cast" and not is_truth(scalar)
