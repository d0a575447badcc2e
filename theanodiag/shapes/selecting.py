"""Shape rules of Ops that select, sort, count or accumulate. Where data decides a length, it is an upper bound (`Bound`)."""

from __future__ import annotations

from ..agent.shapes.dimensions import Bound, broadcast, lift, product
from ..ir.shape import Shape, Unknown
from .registry import Rule, Shapes, like
from .state import Node


def nonzero(node: Node) -> Shapes:
    """Nonzero: at most as many positions as elements, in a vector for each dimension; in Theano 1.0.5 in one matrix with a row for each."""
    shape = node.shape(0)
    size = product(shape)
    length = size if isinstance(size, Unknown) else Bound(size)
    return [(len(shape), length) if _is_matrix(node, i, len(shape)) else (length,) for i in range(node.n_outputs)]


def _is_matrix(node: Node, output: int, rank: int) -> bool:
    """Whether one output has all positions: by its type, else because it is the only one of several dimensions, or a row of it is taken."""
    ndim, graph = node.out_ndim(output), node.state.graph
    if ndim is not None or node.n_outputs > 1:
        return ndim == 2
    taken = [graph.applies[n].op for n, _ in graph.clients[node.apply.outputs[output]]]
    return rank > 1 or any(op.name == "Subtensor" and op.params.get("idx_list") == ["i"] for op in taken)


def unique(node: Node) -> Shapes:
    """Unique: at most as many elements (or slices along the axis) as the input; the inverse has one entry for each."""
    axis = node.integer("axis")
    shape = node.shape(0, least=0 if axis is None else max(axis + 1, -axis))
    length = product(shape) if axis is None else shape[axis]
    most = length if isinstance(length, Unknown) else Bound(length)
    first: Shape = (most,) if axis is None else tuple(most if i == axis % len(shape) else d for i, d in enumerate(shape))
    rows: tuple[tuple[str, Shape], ...] = (("return_index", (most,)), ("return_inverse", (length,)), ("return_counts", (most,)))
    found: list[Shape | Unknown] = [first, *(dims for flag, dims in rows if node.flag(flag))]
    return found if len(found) == node.n_outputs else [first, *[Unknown("Unique: which outputs these are")] * (node.n_outputs - 1)]


def top(node: Node) -> Shapes:
    """TopKOp of (array, k): |k| elements along the axis; a negative k selects the smallest."""
    shape, wanted, axis = node.shape(0), node.number(1), node.integer("axis", -1)
    made = lift(abs, wanted)
    return [tuple(made if i == (axis or 0) % len(shape) else d for i, d in enumerate(shape))] * node.n_outputs


def cumulated(node: Node) -> Shapes:
    """CumOp: the input's shape; without an axis that of the flattened input."""
    shape = node.shape(0)
    return [shape if node.integer("axis") is not None else (product(shape),)]


def differences(node: Node) -> Shapes:
    """DiffOp: the axis is shorter by the order."""
    shape, axis, order = node.shape(0), node.integer("axis", -1), node.integer("n", 1) or 1
    return [tuple(lift(lambda n: max(0, n - order), d) if i == (axis or 0) % len(shape) else d for i, d in enumerate(shape))]


def choose(node: Node) -> Shapes:
    """Choose of (positions, choices): broadcast of the positions with each choice; choices are a list or stacked along dimension 0.

    Source: Theano 1.0.5 tensor/basic.py, `Choose`.
    """
    graph = node.state.graph
    owner = None if len(node.apply.inputs) < 2 else graph.variables[node.apply.inputs[1]].owner
    if owner is not None and graph.applies[owner].op.name == "MakeList":
        made = Node(graph.applies[owner], node.state)
        return [broadcast([node.shape(0), *(made.shape(i) for i in range(made.n_inputs))])]
    return [broadcast([node.shape(0), node.shape(1)[1:]])]


def permute_rows(node: Node) -> Shapes:
    """PermuteRowElements of (array, positions, inverse flag): broadcast of the first two. Source: Theano 1.0.5 tensor/basic.py."""
    return [broadcast([node.shape(0), node.shape(1)])]


def one_number(node: Node) -> Shapes:
    """A scalar for each output."""
    return [()] * node.n_outputs


RULES: dict[str, Rule] = {
    "Nonzero": nonzero, "Unique": unique, "TopKOp": top, "CumOp": cumulated, "CumsumOp": cumulated, "CumprodOp": cumulated,
    "Cumsum": cumulated,
    "DiffOp": differences,
    **dict.fromkeys(("SortOp", "ArgSortOp", "FillDiagonal", "FillDiagonalOffset"), like(0)), "SearchsortedOp": like(1),
    "Choose": choose, "PermuteRowElements": permute_rows,
    **dict.fromkeys(("RavelMultiIndex", "UnravelIndex", "Default"), like(0)),  # Default: Theano 1.0.5 tensor/basic.py
    **dict.fromkeys(("Length", "Count", "Index"), one_number),  # of typed lists: Theano 1.0.5 typed_list/basic.py
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
