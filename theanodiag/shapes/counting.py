"""Positions in arrays, choices among them, and the smaller Ops that belong nowhere else.

Sources: Theano 1.0.5 tensor/basic.py (`Choose`, `PermuteRowElements`, `Default`), tensor/extra_ops.py (`RavelMultiIndex`, `UnravelIndex`),
sandbox/rng_mrg.py (`DotModulo`), typed_list/basic.py; PyTensor 3.0.7 tensor/reshape.py; Aesara 2.9.4 tensor/math.py (`MatMul`).
"""

from __future__ import annotations

from .dimensions import NoShape, broadcast, lift, product, total
from .registry import Rule, Shapes, like
from .state import Node


def chosen(node: Node) -> Shapes:
    """Choose of (numbers, choices): for each number an entry of the choices, which are a list or lie along a first dimension."""
    graph = node.state.graph
    owner = None if len(node.apply.inputs) < 2 else graph.variables[node.apply.inputs[1]].owner
    if owner is not None and graph.applies[owner].op.name == "MakeList":
        made = Node(graph.applies[owner], node.state)
        return [broadcast([node.shape(0), *(made.shape(i) for i in range(made.n_inputs))])]
    return [broadcast([node.shape(0), node.shape(1)[1:]])]


def permuted(node: Node) -> Shapes:
    """PermuteRowElements of (array, positions, whether backwards)."""
    return [broadcast([node.shape(0), node.shape(1)])]


def matrix_products(node: Node) -> Shapes:
    """MatMul, as numpy has it: products of the last two dimensions, the others broadcast."""
    a, b = node.shape(0), node.shape(1)
    if not a or not b:
        raise NoShape("MatMul of a scalar")
    batch = broadcast([a[:-2], b[:-2]])
    return [(*batch, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))]


def joined(node: Node) -> Shapes:
    """JoinDims: some neighbouring dimensions become one."""
    shape, start, count = node.shape(0), node.integer("start_axis"), node.integer("n_axes")
    if start is None or count is None:
        raise NoShape("which dimensions JoinDims joins is not printed")
    return [(*shape[:start], product(shape[start : start + count]), *shape[start + count :])]


def split(node: Node) -> Shapes:
    """SplitDims of (array, lengths): one dimension becomes several."""
    shape, axis, lengths = node.shape(0), node.integer("axis"), node.numbers(1)
    if axis is None or lengths is None or axis >= len(shape):
        raise NoShape(f"SplitDims depends on the value of {node.name(1)}")
    if any(isinstance(d, int) and d == -1 for d in lengths):
        others = product(d for d in lengths if not (isinstance(d, int) and d == -1))
        left = lift(lambda n, m: n // m if m else 0, shape[axis], others)
        lengths = [left if isinstance(d, int) and d == -1 else d for d in lengths]
    return [(*shape[:axis], *lengths, *shape[axis + 1 :])]


def modulo(node: Node) -> Shapes:
    """DotModulo of (A, s, m, A2, s2, m2): both results one after the other, as long as both vectors."""
    return [(total([node.shape(1, least=1)[0], node.shape(4, least=1)[0]]),)]


def count(node: Node) -> Shapes:
    """One number."""
    return [()] * node.n_outputs


RULES: dict[str, Rule] = {
    "Choose": chosen, "PermuteRowElements": permuted, "MatMul": matrix_products, "JoinDims": joined, "SplitDims": split,
    "DotModulo": modulo, **dict.fromkeys(("RavelMultiIndex", "UnravelIndex", "Default"), like(0)),
    **dict.fromkeys(("Length", "Count", "Index"), count),
}  # fmt: skip
