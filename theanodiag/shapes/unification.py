"""Infers shapes of inputs and constants from others: lengths that must agree where arrays are added, multiplied, moved or joined.

Theano and PyTensor refuse operands with different lengths, unless the type says that a length is 1. Sources: Theano 1.0.5
tensor/elemwise_cgen.py `make_checks`; PyTensor 3.0.7 and 3.3.7 tensor/elemwise.py `_check_runtime_broadcast`. Aesara broadcasts any length
of 1 at run time, so there nothing follows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from ..agent.shapes.dimensions import NoShape
from ..ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Type, Unknown
from ..ir.shape import Value, is_exact
from ..ops import op_info
from ..ops.control import from_graph, places_of
from ..ops.node import Like, Node, State, sized
from ..ops.spec import OUT, AgreementRule, Equal, Run, out_rank, rank_of
from .infer import array_of, infer, start, static


class Lengths:
    """Sets of dimensions that must have the same length, over all Variables of a graph; kept as trees (union-find) over dimension
    numbers.
    """

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
        """States that `count` dimensions have the same lengths: those of Variable `a` from number `i` on, and those of `b` from number `k`
        on. Dimensions that a type fixes at 1 are left out.

        Dimensions that a Variable does not have are left out too.
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
        """Yields pairs of dimensions of `variables` with the same length: (index of a Variable, its dimension, index of another, its
        dimension).
        """
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

    def new_shapes(self, table: ShapeTable, variables: Sequence[int]) -> Iterator[tuple[int, Shape]]:
        """Yields (Variable id, shape) for those of `variables` that have a dimension which is Unknown in `table` and now known.

        A dimension is known if exactly one length is known in its set. A length of 1 proves nothing, because some versions broadcast it.
        """
        rows = [(v, self._dims(table, v)) for v in variables]
        known: dict[int, set[int]] = {self._root(self._first[v] + k): set() for v, dims in rows for k in range(len(dims))}
        for v, shape in table.shapes.items() if known else ():
            if isinstance(shape, Unknown) or int not in map(type, shape) or len(shape) != self._ranks[v] or v in table.bounded:
                continue
            for number, d in enumerate(shape, self._first[v]):
                if isinstance(d, int) and (candidates := known.get(self._root(number))) is not None:
                    candidates.add(d)
        for v, dims in rows:
            lengths = [known[self._root(number)] for number in range(self._first[v], self._first[v] + len(dims))]
            new = {k: n for k, (d, n) in enumerate(zip(dims, lengths)) if isinstance(d, Unknown) and len(n) == 1 and 1 not in n}
            if new:
                yield v, tuple([next(iter(new[k])) if k in new else d for k, d in enumerate(dims)])

    def _dims(self, table: ShapeTable, variable: int) -> Shape:
        """The known dimensions of a Variable, as many as its type has; empty where its shape has another number of them."""
        shape, rank = table.shape(variable), self._ranks[variable]
        if isinstance(shape, Unknown):
            return (shape,) * rank
        return shape if len(shape) == rank else ()


ROUNDS = 6
"""Largest number of times that newly known lengths are followed through the graph."""


def completed(graph: FunctionGraph, inputs: Mapping[int, Shape], values: Mapping[int, Value] | None = None) -> ShapeTable:
    """Returns the shapes that `infer` gives, after filling in dimensions of inputs and constants that follow from the given ones.

    Must not be used for graphs of Aesara. The caller must know whether a text is Aesara's.

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
        new_shapes = dict(equal.lengths.new_shapes(table, open_))
        if number and not new_shapes:
            break
        known.update(new_shapes)
        table = infer(graph, known, values)
        open_ = [v for v in open_ if v in table.open]
        if not open_:
            break
    return table


def _at_first(graph: FunctionGraph, first: Mapping[int, Shape | Unknown], values: Mapping[int, Value] | None) -> ShapeTable:
    """The shapes that are known before inference: the given ones (`first`), and those that types fix."""
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
            if inner is not None and op_info(node.op.name).shape in (None, from_graph):
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
        """Adds the equal lengths that follow from nodes, as far as the values that this needs are in `table`."""
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
    ends = [*places.values(), *(OUT - k for k in range(len(graph.outputs)))]
    for a, i, b, k in equal.lengths.alike([*places, *graph.outputs]):
        yield ends[a], i, ends[b], k, 1


@lru_cache(maxsize=1024)
def _agreements(name: str) -> tuple[AgreementRule, ...]:
    """The functions that say which dimensions of a node are equal, for Op class `name`."""
    rule = op_info(name).shape
    first = partial(_like, rule.position) if isinstance(rule, Like) else None
    return tuple(agree for agree in (first, op_info(name).agrees) if agree is not None)


def _like(position: int, node: Node) -> Equal:
    """The equal dimensions of an Op whose output has the shape of input number `position`."""
    rank = out_rank(node)
    return ((position, 0, OUT, 0, rank),) if rank_of(node, position) == rank else ()
