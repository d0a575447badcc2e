"""Shapes of inputs and constants that follow from others: lengths that must agree where arrays are added, multiplied, moved or joined.

Theano and PyTensor refuse operands whose lengths differ, but where the type says that a length is 1. Sources: Theano 1.0.5
tensor/elemwise_cgen.py `make_checks`; PyTensor 3.0.7 and 3.3.7 tensor/elemwise.py `_check_runtime_broadcast`. Aesara stretches what has
length 1 when it computes: there nothing follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from ..ir import Constant, FunctionGraph, Shape, ShapeTable, Unknown
from ..ir.shape import Dim, Value
from .bound import NoShape
from .elemwise import dim_shuffle, elemwise, order_of
from .indexing import Slice, entries, rows_by_number, subtensor
from .infer import infer
from .joining import join
from .nnet import nll_of_classes
from .products import batched_dot, blockwise, dot, dot22, gemm, gemv, ger, signature
from .reductions import axes_of, reduction
from .registry import Like, Rule
from .state import Array, Node, State, sized
from .table import REGISTRY
from .values import array_of

ROUNDS = 6
"""At most so often what is newly known is followed again through the graph."""
Place = tuple[int, int]
"""A dimension of an input (its position), or of an output (its position, counted down from -1)."""
Equal = Iterator[tuple[Place, Place]]
_OUT = -1


def completed(graph: FunctionGraph, inputs: Mapping[int, Shape], values: Mapping[int, Value] | None = None) -> ShapeTable:
    """What `infer` says, also of inputs and constants whose dimensions are not given and follow from those that are.

    Not of a graph that was captured in Aesara; that a text is Aesara's the caller has to know.

    >>> from theanodiag.ir.builder import GraphBuilder, tensor
    >>> from theanodiag.ir import Op
    >>> b = GraphBuilder()
    >>> x, w = b.argument("x", tensor(None, None)), b.argument("w", tensor(None, None))
    >>> y = b.apply(Op("Dot22", "Dot22"), [x, w], tensor(None, None))
    >>> completed(b.build(y), {x: (128, 784)}).shape(w)
    (784, Unknown(reason='the shape of w is not given'))
    """
    table, known = infer(graph, inputs, values), dict(inputs)
    leaves = [v.id for v in graph.variables if v.owner is None and sized(v.type) and v.type.shape]
    for _ in range(ROUNDS):
        leaves = [v for v in leaves if v in table.open]
        if not leaves or any(node.op.module.startswith("aesara.") for node in graph.applies):
            break
        found = dict(implied(graph, table, leaves))
        if not found:
            break
        known.update(found)
        table = infer(graph, known, values)
    return table


def implied(graph: FunctionGraph, table: ShapeTable, leaves: Iterable[int]) -> Iterator[tuple[int, Shape]]:
    """Those of the `leaves` of which a dimension follows that `table` does not have, with all that is known of them then."""
    equal = _Lengths(graph, table)
    state = State(graph, [table.shape(v.id) for v in graph.variables], _arrays(table))
    for node in graph.applies:
        name = node.op.name
        places = (*node.inputs, *node.outputs[::-1])  # an output counts from the end
        for agree in (_agreement(REGISTRY.rule(name)), _ALSO.get(name[3:] if name.startswith("Gpu") else name)):
            try:
                for (a, i), (b, k) in agree(Node(node, state)) if agree else ():
                    equal.join((places[a], i), (places[b], k))
            except (NoShape, LookupError, TypeError, ValueError):
                continue  # a text that was damaged: nothing follows from this node
    for v in leaves:
        old = table.shape(v)
        rank = len(graph.variables[v].type.shape) if isinstance(old, Unknown) else len(old)
        dims = [old if isinstance(old, Unknown) else old[k] for k in range(rank)]
        new = tuple(equal.length((v, k)) if isinstance(d, Unknown) else d for k, d in enumerate(dims))
        if any(isinstance(d, Unknown) and not isinstance(n, Unknown) for d, n in zip(dims, new)):
            yield v, new


def _arrays(table: ShapeTable) -> dict[int, Array]:
    return {v: array for v, value in table.values.items() if (array := array_of(value)) is not None}


_OTHER_RANK = Unknown("the printed type and the shape have different numbers of dimensions")


class _Lengths:
    """Dimensions of Variables that have one length, and what that is."""

    def __init__(self, graph: FunctionGraph, table: ShapeTable) -> None:
        self._types = [v.type for v in graph.variables]
        self._table = table
        self._next: dict[Place, Place] = {}
        self._known: dict[Place, set[int]] = {}

    def join(self, a: Place, b: Place) -> None:
        """Both have the same length, if neither is 1 by its type."""
        if self._is_one(a) or self._is_one(b):
            return
        a, b = self._root(a), self._root(b)
        if a != b:
            self._next[a] = b
            self._known[b] = self._of(a) | self._of(b)

    def length(self, place: Place) -> Dim:
        """The length, if there is exactly one that is known. 1 says nothing: some versions stretch it."""
        found = self._of(self._root(place))
        return next(iter(found)) if len(found) == 1 and 1 not in found else self._dim(place)

    def _of(self, root: Place) -> set[int]:
        known = self._known.get(root)
        if known is None:
            dim = self._dim(root)
            known = self._known[root] = set() if isinstance(dim, Unknown) or root[0] in self._table.bounded else {dim}
        return known

    def _root(self, place: Place) -> Place:
        path = []
        while place in self._next:
            path.append(place)
            place = self._next[place]
        self._next.update(dict.fromkeys(path, place))
        return place

    def _dim(self, place: Place) -> Dim:
        shape = self._table.shape(place[0])
        if isinstance(shape, Unknown):
            return shape
        return shape[place[1]] if place[1] < len(shape) else _OTHER_RANK

    def _is_one(self, place: Place) -> bool:
        kind = self._types[place[0]]
        return not sized(kind) or (place[1] < len(kind.shape) and kind.shape[place[1]] == 1)


def _rank(node: Node, position: int) -> int:
    """Dimensions of an input, by its type; raises NoShape where that is not printed."""
    kind = node.type(position)
    if not sized(kind):
        raise NoShape("a type is not printed")
    return kind.ndim


def _out_rank(node: Node) -> int:
    rank = node.out_ndim()
    if rank is None:
        raise NoShape("a type is not printed")
    return rank


def _whole(a: int, b: int, rank: int) -> Equal:
    return (((a, k), (b, k)) for k in range(rank))


def _all_alike(node: Node) -> Equal:
    """Elemwise: all operands and all results, dimension by dimension."""
    rank = _out_rank(node)
    outputs = (_whole(_OUT, _OUT - k, rank) for k in range(1, node.n_outputs))
    return chain.from_iterable((*(_whole(i, _OUT, rank) for i in range(node.n_inputs) if _rank(node, i) == rank), *outputs))


def _moved(node: Node) -> Equal:
    order = order_of(node, _rank(node, 0))
    return (((0, d), (_OUT, k)) for k, d in enumerate(order) if isinstance(d, int))


def _reduced(node: Node) -> Equal:
    rank = _rank(node, 0)
    gone = axes_of(node, rank)
    kept = [k for k in range(rank) if k not in gone]
    return (((0, d), (_OUT, k)) for k, d in enumerate(kept) if len(kept) == _out_rank(node))


def _multiplied(node: Node, a: int = 0, b: int = 1) -> Equal:
    """A product: rows, columns, and what is summed over."""
    first, second = _rank(node, a), _rank(node, b)
    if not first or not second:
        return
    yield (a, first - 1), (b, max(0, second - 2))
    yield from (((a, k), (_OUT, k)) for k in range(first - 1))
    if second == 2:
        yield (b, 1), (_OUT, first - 1)


def _added_product(node: Node) -> Equal:
    """Gemm and Gemv: what is added to, then a number, then the factors."""
    yield from _multiplied(node, 2, 3)
    yield from _whole(0, _OUT, _out_rank(node))


def _outer(node: Node) -> Equal:
    yield from (((2, 0), (_OUT, 0)), ((3, 0), (_OUT, 1)), ((0, 0), (_OUT, 0)), ((0, 1), (_OUT, 1)))


def _batches(node: Node) -> Equal:
    yield (0, 0), (1, 0)
    yield (0, 0), (_OUT, 0)
    if _rank(node, 0) == _rank(node, 1) == 3:
        yield from (((0, 2), (1, 1)), ((0, 1), (_OUT, 1)), ((1, 2), (_OUT, 2)))


def _cores(node: Node) -> Equal:
    """Blockwise: dimensions that the signature calls the same."""
    sides = signature(node)
    if sides is None:
        return
    first: dict[str, Place] = {}
    ranks = [*(_rank(node, i) for i in range(len(sides[0]))), *(node.out_ndim(i) or 0 for i in range(len(sides[1])))]
    places = [*range(len(sides[0])), *(_OUT - i for i in range(len(sides[1])))]
    for names, rank, at in zip(chain(*sides), ranks, places):
        for k, name in enumerate(names, rank - len(names)):
            if not name.isdigit() and k >= 0:
                yield first.setdefault(name, (at, k)), (at, k)


def _rows(node: Node) -> Equal:
    """AdvancedSubtensor1: as many rows as numbers, of the same length."""
    yield (1, 0), (_OUT, 0)
    yield from (((0, k), (_OUT, k)) for k in range(1, _rank(node, 0)))


def _parts(node: Node) -> Equal:
    """Subtensor: dimensions of which all is taken."""
    index, out = entries(node, 1), 0
    for k in range(_rank(node, 0)):
        entry = index[k] if k < len(index) else Slice(None, None, None)
        if isinstance(entry, Slice):
            if entry.start is None and entry.stop is None and entry.step in (None, 1, -1):
                yield (0, k), (_OUT, out)
            out += 1


def _joined(node: Node) -> Equal:
    """Join: all dimensions but that along which the parts stand."""
    fixed, rank = node.integer("axis"), _out_rank(node)
    axis = node.number(0) if fixed is None else fixed
    if not isinstance(axis, int) or not rank:
        return iter(())
    return (((i, k), (_OUT, k)) for i in range(0 if fixed is not None else 1, node.n_inputs) for k in range(rank) if k != axis % rank)


def _classes(node: Node) -> Equal:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    yield from (((0, 1), (1, 0)), ((0, 0), (2, 0)))


def _square(node: Node) -> Equal:
    """Factors and inverses: as many rows as columns."""
    rank = _rank(node, 0)
    if rank > 1:
        yield (0, rank - 2), (0, rank - 1)


def _solved(node: Node) -> Equal:
    """Solve: a square matrix, and as many rows on the right."""
    yield from _square(node)
    rank, right = _rank(node, 0), _rank(node, 1)
    if rank == 2 and right in (1, 2):
        yield (0, 0), (1, 0)


def _picked(node: Node) -> Equal:
    """AdvancedSubtensor with an array of numbers for each dimension: these are put together as operands are, but by numpy, which stretches
    every length of 1. Of a constant the type says where that is."""
    rank, index = _out_rank(node), range(1, node.n_inputs)
    if len(index) != _rank(node, 0) or not all((node.type(i).dtype or "").startswith(("int", "uint")) for i in index):
        return
    for i in index:
        own = _rank(node, i)
        if not isinstance(node.state.graph.variables[node.apply.inputs[i]], Constant):
            continue
        yield from (((i, k), (_OUT, k + rank - own)) for k in range(own) if own <= rank)


_AGREEMENTS: dict[object, Callable[[Node], Equal]] = {
    elemwise: _all_alike, dim_shuffle: _moved, reduction: _reduced, dot22: _multiplied, dot: _multiplied, gemm: _added_product,
    gemv: _added_product, ger: _outer, batched_dot: _batches, blockwise: _cores, rows_by_number: _rows, subtensor: _parts, join: _joined,
    nll_of_classes: _classes,
}  # fmt: skip
"""By the rule for its shape, which dimensions of a node must agree."""
_ALSO: dict[str, Callable[[Node], Equal]] = {
    **dict.fromkeys(("Cholesky", "CusolverCholesky", "MagmaCholesky", "MatrixInverse", "MagmaMatrixInverse", "Det"), _square),
    **dict.fromkeys(("Solve", "SolveTriangular", "CusolverSolve"), _solved), "AdvancedSubtensor": _picked,
}  # fmt: skip
"""By class name, without `Gpu`: what must agree beside that."""


def _agreement(rule: Rule | None) -> Callable[[Node], Equal] | None:
    if isinstance(rule, Like):
        position = rule.position
        return lambda node: _whole(position, _OUT, _out_rank(node)) if _rank(node, position) == _out_rank(node) else iter(())
    return _AGREEMENTS.get(rule)
