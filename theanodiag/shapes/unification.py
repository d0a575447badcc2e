"""Infers shapes of inputs and constants from others: lengths that must agree where arrays are added, multiplied, moved or joined.

Theano and PyTensor refuse operands with different lengths, unless the type says that a length is 1. Sources: Theano 1.0.5
tensor/elemwise_cgen.py `make_checks`; PyTensor 3.0.7 and 3.3.7 tensor/elemwise.py `_check_runtime_broadcast`. Aesara broadcasts any length
of 1 at run time, so there nothing follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain

from ..agent.shapes.dimensions import NoShape
from ..ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Type, Unknown
from ..ir.shape import Value, is_exact
from .all_rules import REGISTRY
from .creation import join
from .elementwise import axes_of, dim_shuffle, elemwise, order_of, reduction
from .indexing import Slice, entries, rows_by_number, subtensor
from .infer import infer, start, static
from .inner import from_graph, places_of
from .nnet import nll_of_classes
from .products import batched_dot, blockwise, dot, dot22, gemm, gemv, ger, signature
from .registry import Like
from .state import Node, State, sized
from .values import array_of


class Lengths:
    """The dimensions of a graph's Variables in disjoint sets of equal length, kept as trees over dimension numbers."""

    def __init__(self, types: Sequence[Type]) -> None:
        self._ranks = [kind.ndim if sized(kind) else 0 for kind in types]
        static = [d for kind, rank in zip(types, self._ranks) if rank for d in kind.shape]
        self._is_one = [d == 1 for d in static]
        self._above = list(range(len(static)))
        self._first, number = [], 0
        for rank in self._ranks:
            self._first.append(number)
            number += rank

    def join(self, a: int, i: int, b: int, k: int, count: int = 1) -> None:
        """Unites `count` dimensions, from number `i` of Variable `a` and number `k` of `b` on, except those that a type fixes at 1.

        Dimensions that a Variable does not have are left out.
        """
        count = min(count, self._ranks[a] - i, self._ranks[b] - k) if min(i, k) >= 0 else 0
        p, q, is_one, above = self._first[a] + i, self._first[b] + k, self._is_one, self._above
        while count > 0:
            if not is_one[p] and not is_one[q]:
                one, other = self._root(p), self._root(q)
                if one < other:  # the lower number becomes the root, which keeps the trees flat
                    above[other] = one
                else:
                    above[one] = other
            p, q, count = p + 1, q + 1, count - 1

    def alike(self, variables: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Pairs of dimensions of `variables` in one set: (index of a Variable, its dimension, index of another, its dimension)."""
        first: dict[int, tuple[int, int]] = {}
        for at, v in enumerate(variables):
            for k in range(self._ranks[v]):
                known = first.setdefault(self._root(self._first[v] + k), (at, k))
                if known != (at, k):
                    yield (*known, at, k)

    def _root(self, number: int) -> int:
        above = self._above
        while (up := above[number]) != number:
            above[number] = number = above[up]
        return number

    def told(self, table: ShapeTable, variables: Sequence[int]) -> Iterator[tuple[int, Shape]]:
        """New shapes of those of `variables` in which a dimension follows that is Unknown in `table`.

        It follows where exactly one length is known in its set. A length of 1 proves nothing: some versions broadcast it.
        """
        rows = [(v, self._dims(table, v)) for v in variables]
        known: dict[int, set[int]] = {self._root(self._first[v] + k): set() for v, dims in rows for k in range(len(dims))}
        for v, shape in table.shapes.items() if known else ():
            if isinstance(shape, Unknown) or int not in map(type, shape) or len(shape) != self._ranks[v] or v in table.bounded:
                continue
            for number, d in enumerate(shape, self._first[v]):
                if isinstance(d, int) and (found := known.get(self._root(number))) is not None:
                    found.add(d)
        for v, dims in rows:
            lengths = [known[self._root(number)] for number in range(self._first[v], self._first[v] + len(dims))]
            new = {k: n for k, (d, n) in enumerate(zip(dims, lengths)) if isinstance(d, Unknown) and len(n) == 1 and 1 not in n}
            if new:
                yield v, tuple([next(iter(new[k])) if k in new else d for k, d in enumerate(dims)])

    def _dims(self, table: ShapeTable, variable: int) -> Shape:
        """The known dimensions of a Variable, one for each of its type; empty where its shape has another number."""
        shape, rank = table.shape(variable), self._ranks[variable]
        if isinstance(shape, Unknown):
            return (shape,) * rank
        return shape if len(shape) == rank else ()


ROUNDS = 6
"""Largest number of times that newly known lengths are followed through the graph."""
Run = tuple[int, int, int, int, int]
"""A run of equal dimensions: (Variable a, its first dimension, Variable b, its first dimension, number of dimensions).

Variables are inputs by position, or outputs counted down from -1.
"""
Equal = Iterable[Run]
"""Runs of dimensions that have equal lengths."""
_OUT = -1


def completed(graph: FunctionGraph, inputs: Mapping[int, Shape], values: Mapping[int, Value] | None = None) -> ShapeTable:
    """The shapes that `infer` gives, after filling in dimensions of inputs and constants that follow from those given.

    Not for a graph captured in Aesara; of a text, the caller has to know that it is Aesara's.

    >>> from theanodiag.ir.builder import GraphBuilder, tensor
    >>> from theanodiag.ir import Op
    >>> b = GraphBuilder()
    >>> x, w = b.argument("x", tensor(None, None)), b.argument("w", tensor(None, None))
    >>> y = b.apply(Op("Dot22", "Dot22"), [x, w], tensor(None, None))
    >>> completed(b.build(y), {x: (128, 784)}).shape(w)
    (784, Unknown(reason='the shape of w is not given'))
    """
    first = {v.id: start(v, inputs) for v in graph.variables if v.owner is None and v.type.has_shape}
    open_ = [v for v, shape in first.items() if not is_exact(shape) and sized(graph.variables[v].type)]
    if not open_ or any(node.op.module.startswith("aesara.") for node in graph.applies):
        return infer(graph, inputs, values)
    known, equal = dict(inputs), _Agreements(graph)
    table = _at_first(graph, first, values)
    for number in range(ROUNDS):
        equal.read(table)
        found = dict(equal.lengths.told(table, open_))
        if number and not found:
            break
        known.update(found)
        table = infer(graph, known, values)
        open_ = [v for v in open_ if v in table.open]
        if not open_:
            break
    return table


def _at_first(graph: FunctionGraph, first: Mapping[int, Shape | Unknown], values: Mapping[int, Value] | None) -> ShapeTable:
    """What is known before anything is inferred: the given shapes (`first`), and those that types fix."""
    shapes = {v.id: static(v.type) for v in graph.variables if v.owner is not None and v.type.has_shape and not v.type.is_open}
    constants = {v.id: v.value for v in graph.variables if isinstance(v, Constant) and v.value is not None}
    return ShapeTable({**shapes, **first}, {**(values or {}), **constants})


class _Agreements:
    """Which dimensions of a graph's Variables must have equal lengths, by its nodes."""

    def __init__(self, graph: FunctionGraph) -> None:
        self.lengths = Lengths([v.type for v in graph.variables])
        self._graph = graph
        self._left = [(node, agree) for node in graph.applies for agree in _agreements(node.op.name)]
        """Nodes that could not be read so far, because a value is not known."""
        inside: dict[tuple[int, int], list[Run]] = {}  # many nodes share a graph
        for node in graph.applies:
            inner = node.op.inner
            if inner is not None and REGISTRY.rule(node.op.name) in (None, from_graph):
                key = id(inner), len(node.inputs)
                if key not in inside:
                    inside[key] = list(_inside(inner, len(node.inputs)))
                self._join(node, inside[key])

    def _join(self, node: Apply, equal: Equal) -> None:
        places, join = (*node.inputs, *node.outputs[::-1]), self.lengths.join  # an output counts from the end
        n_inputs, n_outputs = len(node.inputs), len(node.outputs)
        for a, i, b, k, count in equal:
            if -n_outputs <= a < n_inputs and -n_outputs <= b < n_inputs:  # in a damaged text a node may have fewer than its inner graph
                join(places[a], i, places[b], k, count)

    def read(self, table: ShapeTable) -> None:
        """Reads the nodes whose needed values are in `table`."""
        values = {v: array for v, value in table.values.items() if (array := array_of(value)) is not None}
        state, left = State(self._graph, [], values), []
        for node, agree in self._left:
            try:
                self._join(node, agree(Node(node, state)))
            except (NoShape, LookupError, TypeError, ValueError):
                left.append((node, agree))  # a value is not known yet, or the text is damaged
        self._left = left


def _inside(graph: FunctionGraph, n_inputs: int) -> Iterator[Run]:
    """Which dimensions of an Op's inputs and outputs its inner graph makes equal."""
    equal = _Agreements(graph)
    equal.read(_at_first(graph, {v.id: start(v, {}) for v in graph.variables if v.owner is None and v.type.has_shape}, None))
    places = places_of(graph, n_inputs)
    ends = [*places.values(), *(_OUT - k for k in range(len(graph.outputs)))]
    for a, i, b, k in equal.lengths.alike([*places, *graph.outputs]):
        yield ends[a], i, ends[b], k, 1


def _rank(node: Node, position: int) -> int:
    """Number of dimensions of input number `position`; raises NoShape where no type is printed."""
    kind = node.type(position)
    if not sized(kind):
        raise NoShape("a type is not printed")
    return kind.ndim


def _out_rank(node: Node) -> int:
    rank = node.out_ndim()
    if rank is None:
        raise NoShape("a type is not printed")
    return rank


def _all_alike(node: Node) -> Equal:
    """Elemwise: all operands and results agree, dimension by dimension."""
    rank, variables, apply = _out_rank(node), node.state.graph.variables, node.apply
    if not rank:
        return ()
    rows: list[Run] = [(_OUT, 0, _OUT - k, 0, rank) for k in range(1, len(apply.outputs))]
    rows += [(i, 0, _OUT, 0, rank) for i, v in enumerate(apply.inputs) if variables[v].type.ndim == rank]
    return rows


def _moved(node: Node) -> Equal:
    order = order_of(node, _rank(node, 0))
    return [(0, d, _OUT, k, 1) for k, d in enumerate(order) if isinstance(d, int)]


def _reduced(node: Node) -> Equal:
    rank = _rank(node, 0)
    gone = axes_of(node, rank)
    kept = [k for k in range(rank) if k not in gone]
    return [(0, d, _OUT, k, 1) for k, d in enumerate(kept)] if kept and len(kept) == _out_rank(node) else ()


def _multiplied(node: Node, a: int = 0, b: int = 1) -> Equal:
    """Products: the rows, the columns, and the dimension that is summed over."""
    first, second = _rank(node, a), _rank(node, b)
    if not first or not second:
        return
    yield a, first - 1, b, max(0, second - 2), 1
    yield a, 0, _OUT, 0, first - 1
    if second == 2:
        yield b, 1, _OUT, first - 1, 1


def _added_product(node: Node) -> Equal:
    """Gemm and Gemv of (array, scalar, factor, factor, scalar)."""
    yield from _multiplied(node, 2, 3)
    yield 0, 0, _OUT, 0, _out_rank(node)


def _outer(node: Node) -> Equal:
    """Ger of (matrix, scalar, rows, columns)."""
    return ((2, 0, _OUT, 0, 1), (3, 0, _OUT, 1, 1), (0, 0, _OUT, 0, 2))


def _batches(node: Node) -> Equal:
    yield 0, 0, 1, 0, 1
    yield 0, 0, _OUT, 0, 1
    if _rank(node, 0) == _rank(node, 1) == 3:
        yield from ((0, 2, 1, 1, 1), (0, 1, _OUT, 1, 1), (1, 2, _OUT, 2, 1))


def _cores(node: Node) -> Equal:
    """Blockwise: dimensions with the same name in the signature agree."""
    sides = signature(node)
    if sides is None:
        return
    first: dict[str, tuple[int, int]] = {}
    ranks = [*(_rank(node, i) for i in range(len(sides[0]))), *(node.out_ndim(i) or 0 for i in range(len(sides[1])))]
    places = [*range(len(sides[0])), *(_OUT - i for i in range(len(sides[1])))]
    for names, rank, at in zip(chain(*sides), ranks, places):
        for k, name in enumerate(names, rank - len(names)):
            if not name.isdigit() and k >= 0:
                yield (*first.setdefault(name, (at, k)), at, k, 1)


def _rows(node: Node) -> Equal:
    """AdvancedSubtensor1: as many rows as row numbers, each as long as before."""
    yield 1, 0, _OUT, 0, 1
    yield 0, 1, _OUT, 1, _rank(node, 0) - 1


def _parts(node: Node) -> Equal:
    """Subtensor: dimensions that are taken whole keep their length."""
    index, out = entries(node, 1), 0
    for k in range(_rank(node, 0)):
        entry = index[k] if k < len(index) else Slice(None, None, None)
        if isinstance(entry, Slice):
            if entry.start is None and entry.stop is None and entry.step in (None, 1, -1):
                yield 0, k, _OUT, out, 1
            out += 1


def _joined(node: Node) -> Equal:
    """Join: all dimensions but the axis agree."""
    fixed, rank = node.integer("axis"), _out_rank(node)
    axis = node.number(0) if fixed is None else fixed
    if not isinstance(axis, int) or not rank:
        raise NoShape("the axis is not known")
    axis %= rank
    for i in range(0 if fixed is not None else 1, node.n_inputs):
        yield i, 0, _OUT, 0, axis
        yield i, axis + 1, _OUT, axis + 1, rank - axis - 1


def _classes(node: Node) -> Equal:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    return ((0, 1, 1, 0, 1), (0, 0, 2, 0, 1))


def _square(node: Node) -> Equal:
    """Factorisations and inverses: as many rows as columns."""
    rank = _rank(node, 0)
    if rank > 1:
        yield 0, rank - 2, 0, rank - 1, 1


def _solved(node: Node) -> Equal:
    """Solve: a square matrix, and as many rows on the right side."""
    yield from _square(node)
    rank, right = _rank(node, 0), _rank(node, 1)
    if rank == 2 and right in (1, 2):
        yield 0, 0, 1, 0, 1


def _picked(node: Node) -> Equal:
    """AdvancedSubtensor with an array of integers for each dimension: constant index arrays agree with the output.

    numpy broadcasts the index arrays, also at run time, so only those whose shape is known beforehand tell something.
    """
    rank, index = _out_rank(node), range(1, node.n_inputs)
    if len(index) != _rank(node, 0) or not all((node.type(i).dtype or "").startswith(("int", "uint")) for i in index):
        return
    for i in index:
        own = _rank(node, i)
        if not isinstance(node.state.graph.variables[node.apply.inputs[i]], Constant):
            continue
        if own <= rank:
            yield i, 0, _OUT, rank - own, own


_AGREEMENTS: dict[object, Callable[[Node], Equal]] = {
    elemwise: _all_alike, dim_shuffle: _moved, reduction: _reduced, dot22: _multiplied, dot: _multiplied, gemm: _added_product,
    gemv: _added_product, ger: _outer, batched_dot: _batches, blockwise: _cores, rows_by_number: _rows, subtensor: _parts, join: _joined,
    nll_of_classes: _classes,
}  # fmt: skip
"""Which dimensions of a node agree, by its shape rule."""
_ALSO: dict[str, Callable[[Node], Equal]] = {
    **dict.fromkeys(("Cholesky", "CusolverCholesky", "MagmaCholesky", "MatrixInverse", "MagmaMatrixInverse", "Det"), _square),
    **dict.fromkeys(("Solve", "SolveTriangular", "CusolverSolve"), _solved), "AdvancedSubtensor": _picked,
}  # fmt: skip
"""Further dimensions that agree, by class name without `Gpu`."""


@lru_cache(maxsize=1024)
def _agreements(name: str) -> tuple[Callable[[Node], Equal], ...]:
    """The functions that tell which dimensions agree, for Op class `name`."""
    rule = REGISTRY.rule(name)
    first = partial(_like, rule.position) if isinstance(rule, Like) else _AGREEMENTS.get(rule)
    return tuple(agree for agree in (first, _ALSO.get(name.removeprefix("Gpu"))) if agree is not None)


def _like(position: int, node: Node) -> Equal:
    """Ops whose output has the shape of input number `position`."""
    rank = _out_rank(node)
    return ((position, 0, _OUT, 0, rank),) if _rank(node, position) == rank else ()
