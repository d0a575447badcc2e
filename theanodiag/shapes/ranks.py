"""How many dimensions inputs have, for texts that print no types: what Ops demand of what they read, followed through the graph.

Sources: `make_node` of the Ops in Theano 1.0.5 tensor/blas.py, tensor/nnet/nnet.py, tensor/elemwise.py; Aesara and PyTensor the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Apply, Constant, FunctionGraph
from .registry import Like
from .table import REGISTRY

PASSES = 8
"""At most so often the graph is gone through."""
_DEMANDS: dict[str, tuple[tuple[int | None, ...], tuple[int | None, ...]]] = {
    "Dot22": ((2, 2), (2,)), "Dot22Scalar": ((2, 2, 0), (2,)), "Gemm": ((2, 0, 2, 2, 0), (2,)), "Gemv": ((1, 0, 2, 1, 0), (1,)),
    "CGemv": ((1, 0, 2, 1, 0), (1,)), "Ger": ((2, 0, 1, 1), (2,)), "CGer": ((2, 0, 1, 1), (2,)), "SoftmaxWithBias": ((2, 1), (2,)),
    "CrossentropySoftmaxArgmax1HotWithBias": ((2, 1, 1), (1, 2, 1)), "CrossentropySoftmax1HotWithBiasDx": ((1, 2, 1), (2,)),
    "AdvancedSubtensor1": ((None, 1), ()), "AdvancedIncSubtensor1": ((None, None, 1), ()), "CorrMM": ((4, 4), (4,)),
    "Corr3dMM": ((5, 5), (5,)), "Shape_i": ((), (0,)), "Shape": ((), (1,)), "MakeVector": ((), (1,)), "ARange": ((0, 0, 0), (1,)),
}  # fmt: skip
"""Class name, without `Gpu` -> dimensions of inputs and of outputs, as far as it says them."""
_OF_NUMBERS = {"Alloc": 1, "AllocEmpty": 0, "MakeVector": 0, "Subtensor": 1, "IncSubtensor": 2, "ScalarFromTensor": 0, "Eye": 0, "Tri": 0}
"""Class name -> the first of the inputs that are numbers without dimensions."""


def ranks_of_inputs(graph: FunctionGraph, known: dict[int, int]) -> dict[int, int]:
    """The number of dimensions of inputs, by Variable id, as far as it follows; `known`: that of other Variables."""
    found = dict(known)
    for v in graph.variables:
        if isinstance(v, Constant):
            found.setdefault(v.id, len(v.shape))
    for _ in range(PASSES):
        before = len(found)
        for node in graph.applies:
            _read(node, found)
        for node in reversed(graph.applies):
            _read(node, found)
        if len(found) == before:
            break
    return {v.id: found[v.id] for v in graph.variables if v.owner is None and v.id in found and v.id not in known}


def _read(node: Apply, found: dict[int, int]) -> None:
    """Notes what one node says."""
    name, ins, outs = node.op.name.removeprefix("Gpu"), node.inputs, node.outputs
    demanded = _DEMANDS.get(name)
    if demanded is not None:
        for v, rank in (*zip(ins, demanded[0]), *zip(outs, demanded[1])):
            if rank is not None:
                found.setdefault(v, rank)
    if name in _OF_NUMBERS:
        first = _OF_NUMBERS[name]
        found.update({v: 0 for v in ins[first:] if v not in found})
        if name in ("Alloc", "AllocEmpty"):
            found.setdefault(outs[0], len(ins) - first)
    if name == "Elemwise":
        _alike((*ins, *outs), found)
    elif name == "DimShuffle":
        _moved(node, found)
    elif name in ("Sum", "Prod", "Max", "Min", "CAReduce", "CAReduceCuda", "Argmax", "All", "Any"):
        axes = node.op.params.get("axis")
        _apart(ins[:1], outs, len(axes) if isinstance(axes, list) else None, found)
    elif name == "Subtensor":
        index = node.op.params.get("idx_list")
        _apart(ins[:1], outs, sum(not isinstance(e, dict) for e in index) if isinstance(index, list) else None, found)
    elif name in ("IncSubtensor", "AdvancedSubtensor1", "AdvancedIncSubtensor1") or isinstance(REGISTRY.rule(node.op.name), Like):
        rule = REGISTRY.rule(node.op.name)
        at = rule.position if isinstance(rule, Like) else 0
        _alike((*ins[at : at + 1], *outs), found)
    elif name == "Join":
        _alike((*ins[0 if "axis" in node.op.params else 1 :], *outs), found)


def _alike(variables: Sequence[int], found: dict[int, int]) -> None:
    """All have as many dimensions."""
    known = [found[v] for v in variables if v in found]
    for v in variables if known else ():
        found.setdefault(v, known[0])


def _apart(ins: Sequence[int], outs: Sequence[int], less: int | None, found: dict[int, int]) -> None:
    """The results have `less` dimensions less; None: they have none."""
    for i in ins:
        for o in outs:
            if less is None:
                found.setdefault(o, 0)
            elif i in found and found[i] >= less:
                found.setdefault(o, found[i] - less)
            elif o in found:
                found.setdefault(i, found[o] + less)


def _moved(node: Apply, found: dict[int, int]) -> None:
    """DimShuffle: as many as its order says, if it only adds some or moves them."""
    order = node.op.params.get("new_order")
    if isinstance(order, list) and node.inputs:
        places = sorted(d for d in order if isinstance(d, int))
        found.setdefault(node.outputs[0], len(order))
        if places == list(range(len(places))) and (len(places) < len(order) or len(places) > 1):
            found.setdefault(node.inputs[0], len(places))
