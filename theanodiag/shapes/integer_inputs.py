"""Which inputs of a graph hold whole numbers, for texts that print no types: what Ops use as positions, lengths, conditions or classes.

What an input is used for is followed back through arithmetic. Sources: `make_node` of the Ops in Theano 1.0.5, tensor/subtensor.py,
tensor/basic.py, tensor/nnet/nnet.py, ifelse.py; the same in Aesara and PyTensor.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import Apply, FunctionGraph
from .inner import numbered
from .scalar_dtypes import is_truth
from .scan_alignment import fed_by

_FROM = {
    "Subtensor": 1, "ScalarSubtensor": 1, "IncSubtensor": 2, "AdvancedSubtensor": 1, "AdvancedSubtensor1": 1, "AdvancedIncSubtensor": 2,
    "AdvancedIncSubtensor1": 2, "AdvancedIncSubtensor1_dev20": 2, "Alloc": 1, "AllocEmpty": 0, "Reshape": 1, "BroadcastTo": 1,
    "SpecifyShape": 1, "Eye": 0, "Tri": 0, "Tile": 1, "Repeat": 1, "RepeatOp": 1, "Split": 1, "TopKOp": 1, "Images2Neibs": 1,
    "DiagonalSubtensor": 1, "IncDiagonalSubtensor": 2, "CrossentropySoftmaxArgmax1HotWithBias": 2, "CrossentropySoftmax1HotWithBiasDx": 2,
    "CrossentropyCategorical1Hot": 1, "CrossentropyCategorical1HotGrad": 2, "ARange": 0, "MakeSlice": 0,
    "Bincount": 0, "UnravelIndex": 0, "Pool": 1, "Pad": 1,
}  # fmt: skip
"""Class name, without `Gpu` -> the first input that must be whole numbers; so must all behind it."""
_ONE = {"IfElse": 0, "LazyIfElse": 0, "Scan": 0, "mrg_uniform": 1, "GPUA_mrg_uniform": 1, "RandomFunction": 1, "Choose": 0}
"""The same, for Ops that need just one."""
_ARITHMETIC = frozenset(
    {"Elemwise", "DimShuffle", "TensorFromScalar", "ScalarFromTensor", "Rebroadcast", "Reshape", "Flatten", "MakeVector", "DeepCopyOp",
     "ViewOp", "Subtensor", "AdvancedSubtensor1", "Join", "Maximum", "Minimum", "Composite", "Switch", "FromHost",
     "HostFromGpu", "Contiguous", "SpecifyShape", "Unbroadcast"}
)  # fmt: skip
"""What only moves whole numbers, or counts with them."""


Known = dict[int, set[int]]
"""What was found of graphs, by their identity: many nodes may have the same graph inside."""


def whole_numbers(graph: FunctionGraph, known: Known) -> set[int]:
    """The Variables that must be whole numbers, or are taken to be: what is cast to floats or compared with classes is not decided here."""
    if id(graph) in known:
        return known[id(graph)]
    known[id(graph)] = found = set[int]()
    for node in reversed(graph.applies):
        if node.op.inner is not None and node.op.name != "Elemwise":
            found.update(_asked_inside(node, node.op.inner, known))
        name = node.op.name.removeprefix("Gpu")
        if name in _FROM:
            found.update(node.inputs[_FROM[name] :])
        elif name in _ONE:
            found.update(node.inputs[_ONE[name] : _ONE[name] + 1])
        elif name.endswith("RV"):
            found.update(node.inputs[1:2])
        if name in _ARITHMETIC and not found.isdisjoint(node.outputs):
            found.update(_counted_with(node, name))
    return found


def _asked_inside(node: Apply, inner: FunctionGraph, known: Known) -> Iterator[int]:
    """The inputs that are whole numbers in the graph inside of a node."""
    whole = whole_numbers(inner, known)
    if not any(i.variable in whole for i in inner.inputs):
        return
    fed = fed_by(inner, len(node.inputs)) if node.op.name.endswith("Scan") else None
    for k, entry in enumerate(inner.inputs):
        at = numbered(inner, k) if fed is None else fed[entry.variable]
        if entry.variable in whole and at < len(node.inputs) and (fed is not None or not node.op.name.endswith("Scan")):
            yield node.inputs[at]


def _counted_with(node: Apply, name: str) -> Iterator[int]:
    """The inputs that are whole numbers where the output is."""
    if name == "Elemwise" and not _keeps(str(node.op.params.get("scalar_op", ""))):
        return
    yield from node.inputs[: 1 if name in _FROM else None]


def _keeps(scalar: str) -> bool:
    """Whether a scalar Op makes whole numbers of whole numbers only."""
    return scalar != "Cast" and not is_truth(scalar)
