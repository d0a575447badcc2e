"""Infers how many dimensions inputs have, for texts that print no types, from what Ops require, followed through the graph.

Sources: `make_node` of the Ops in Theano 1.0.5 tensor/blas.py, tensor/nnet/nnet.py, tensor/elemwise.py; Aesara and PyTensor the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import Apply, Constant, FunctionGraph
from ..ops import op_info
from .all_rules import REGISTRY
from .registry import Like

PASSES = 8
"""Largest number of passes over the graph, each forward and backward."""


def ranks_of_inputs(graph: FunctionGraph, known: dict[int, int]) -> dict[int, int]:
    """Number of dimensions of inputs, by Variable id, as far as it follows; `known` has those of other Variables."""
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
    """Records what one node implies."""
    name, ins, outs, op = node.op.name.removeprefix("Gpu"), node.inputs, node.outputs, op_info(node.op.name)
    for v, rank in (*zip(ins, op.input_ranks), *zip(outs, op.output_ranks)):
        if rank is not None:
            found.setdefault(v, rank)
    if op.scalars_from is not None:
        found.update({v: 0 for v in ins[op.scalars_from :] if v not in found})
        if name in ("Alloc", "AllocEmpty"):
            found.setdefault(outs[0], len(ins) - op.scalars_from)
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
    """All `variables` have the same number of dimensions."""
    known = [found[v] for v in variables if v in found]
    for v in variables if known else ():
        found.setdefault(v, known[0])


def _apart(ins: Sequence[int], outs: Sequence[int], less: int | None, found: dict[int, int]) -> None:
    """The outputs have `less` dimensions less than the inputs; None: they have none."""
    for i in ins:
        for o in outs:
            if less is None:
                found.setdefault(o, 0)
            elif i in found and found[i] >= less:
                found.setdefault(o, found[i] - less)
            elif o in found:
                found.setdefault(i, found[o] + less)


def _moved(node: Apply, found: dict[int, int]) -> None:
    """DimShuffle: its order tells the output's dimensions, and the input's too, if it drops none."""
    order = node.op.params.get("new_order")
    if isinstance(order, list) and node.inputs:
        places = sorted(d for d in order if isinstance(d, int))
        found.setdefault(node.outputs[0], len(order))
        if places == list(range(len(places))) and (len(places) < len(order) or len(places) > 1):
            found.setdefault(node.inputs[0], len(places))
