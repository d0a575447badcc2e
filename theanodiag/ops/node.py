"""What is known of one graph while its shapes are inferred, and the view of a node that rules of shapes and values get."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Union

from ..agent.shapes.dimensions import Bound, NoShape
from ..ir import Apply, Constant, FunctionGraph, Op, Shape, ShapeTable, Type, TypeKind, Unknown
from ..ir.shape import Dim
from .scalars import Number

WITHOUT_SHAPE = (TypeKind.RANDOM, TypeKind.OTHER)
"""Type kinds whose values are not arrays, or not known to be arrays."""


@dataclass(frozen=True)
class KnownArray:
    """A small known value: its elements in C order."""

    shape: tuple[int, ...]
    items: tuple[Number, ...]


def _no_run(graph: FunctionGraph, shapes: Mapping[int, Shape], values: Mapping[int, KnownArray]) -> tuple[State, ShapeTable]:
    raise NoShape(f"the inner graph of {graph.name} is not analysed here")


@dataclass
class State:
    """Shapes and known values of a graph's Variables, by id, while its shapes are inferred."""

    graph: FunctionGraph
    shapes: list[Shape | Unknown]
    """Shape of each Variable, or Unknown with the reason."""
    values: dict[int, KnownArray] = field(default_factory=dict)
    """Known small values of Variables."""
    tainted: set[int] = field(default_factory=set)
    """Ids of the Variables whose value is an upper bound."""
    inner: dict[int, ShapeTable] = field(default_factory=dict)
    """Shape tables of inner graphs, by Apply id."""
    run: Callable[[FunctionGraph, Mapping[int, Shape], Mapping[int, KnownArray]], tuple[State, ShapeTable]] = field(default=_no_run)
    """Infers an inner graph with these shapes and values of its Variables."""


def sized(kind: Type) -> bool:
    """Returns whether a type contains the number of dimensions."""
    return kind.kind not in WITHOUT_SHAPE


class Node:
    """An Apply node as shape and value rules see it, with inputs and outputs by position."""

    __slots__ = ("apply", "op", "params", "state")

    def __init__(self, apply: Apply, state: State) -> None:
        self.apply = apply
        self.op: Op = apply.op
        self.params: Mapping[str, object] = apply.op.params
        self.state = state

    @property
    def n_inputs(self) -> int:
        """Number of inputs of the node."""
        return len(self.apply.inputs)

    @property
    def n_outputs(self) -> int:
        """Number of outputs of the node."""
        return len(self.apply.outputs)

    def type(self, position: int) -> Type:
        """Returns the type of input number `position`."""
        return self.state.graph.variables[self._input(position)].type

    def is_nothing(self, position: int) -> bool:
        """Returns whether input number `position`, which is not an array, is known to be None; if not, its type was just not printed."""
        variable = self.state.graph.variables[self._input(position)]
        return variable.type.is_printed or isinstance(variable, Constant)

    def out_type(self, position: int) -> Type:
        """Returns the type of output number `position`."""
        outputs = self.apply.outputs
        if not -len(outputs) <= position < len(outputs):
            raise NoShape(f"{self.op.name} has fewer outputs in this graph than its shape rule needs")
        return self.state.graph.variables[outputs[position]].type

    def out_ndim(self, position: int = 0) -> int | None:
        """Returns the number of dimensions of output number `position`; None if its type does not give it."""
        kind = self.out_type(position)
        return kind.ndim if sized(kind) else None

    def _input(self, position: int) -> int:
        inputs = self.apply.inputs
        if not -len(inputs) <= position < len(inputs):
            raise NoShape(f"{self.op.name} has fewer inputs in this graph than its shape rule needs")
        return inputs[position]

    def maybe(self, position: int) -> Shape | Unknown:
        """Returns the shape of input number `position`, or Unknown with the reason."""
        return self.state.shapes[self._input(position)]

    def shape(self, position: int, least: int = 0) -> Shape:
        """Returns the shape of input number `position`. Raises NoShape if it is unknown or has fewer than `least` dimensions."""
        shape = self.maybe(position)
        if isinstance(shape, Unknown):
            raise NoShape(shape.reason)
        if len(shape) < least:
            raise NoShape(f"{self.op.name} of an array with fewer dimensions than {least}")
        return shape

    def array(self, position: int) -> KnownArray | None:
        """Returns the value of input number `position`, exact or an upper bound; None if it is unknown."""
        return self.state.values.get(self._input(position))

    def doubtful(self, position: int) -> bool:
        """Returns whether the value of input number `position` is only known as an upper bound."""
        return self._input(position) in self.state.tainted

    def name(self, position: int) -> str:
        """Returns the text by which messages refer to input number `position`."""
        variable = self.state.graph.variables[self._input(position)]
        if variable.owner is None:
            return variable.name or "an input without a name"
        return f"what {self.state.graph.applies[variable.owner].op.name} computes"

    def number(self, position: int) -> Dim:
        """Returns the value of input number `position`, an integer scalar, as a dimension: an int, a Bound, or Unknown."""
        array = self.array(position)
        if array is None or len(array.items) != 1:
            return Unknown(self.reason(position))
        return self._as_dim(array.items[0], position)

    def numbers(self, position: int) -> list[Dim] | None:
        """Returns the values of input number `position`, an integer vector, as dimensions; None if they are unknown."""
        array = self.array(position)
        return None if array is None else [self._as_dim(v, position) for v in array.items]

    def entries(self, position: int) -> list[Dim] | None:
        """Returns the values of input number `position`, an integer vector, like `numbers`. If a MakeVector made the vector, each entry is
        separately known or Unknown.
        """
        dims = self.numbers(position)
        owner = None if dims is not None else self.state.graph.variables[self._input(position)].owner
        if owner is None or self.state.graph.applies[owner].op.name != "MakeVector":
            return dims
        maker = Node(self.state.graph.applies[owner], self.state)
        return [maker.number(i) for i in range(maker.n_inputs)]

    def known(self, position: int, count: int | None = None) -> list[Dim]:
        """Returns the values of input number `position`, an integer vector, of `count` elements if given. Raises NoShape if they are
        unknown.
        """
        dims = self.entries(position)
        if not dims or (count is not None and len(dims) != count):
            raise NoShape(self.reason(position))
        return dims

    def reason(self, position: int) -> str:
        """Returns the reason for an Unknown, to be used if the value of input number `position` is unknown."""
        return f"{self.op.name} depends on the value of {self.name(position)}"

    def _as_dim(self, value: Number, position: int) -> Dim:
        return Bound(int(value)) if self.doubtful(position) else int(value)

    def integer(self, name: str, default: int | None = None) -> int | None:
        """Returns the value of the integer parameter `name`; `default` if it is missing or not an integer."""
        value = self.params.get(name, default)
        return value if isinstance(value, int) else default

    def flag(self, name: str, default: bool = False) -> bool:
        """Returns the value of the Boolean parameter `name`; `default` if it is missing or not a Boolean."""
        value = self.params.get(name, default)
        return value if isinstance(value, bool) else default

    def integers(self, name: str) -> list[int] | None:
        """Returns the value of parameter `name` as a list of integers, also from a single integer; None if it is neither."""
        value = self.params.get(name)
        rows = [value] if isinstance(value, int) else value
        return [int(v) for v in rows] if isinstance(rows, list) and all(isinstance(v, int) for v in rows) else None


Shapes = Sequence[Union[Shape, Unknown, None]]
"""Shapes of the outputs; None for an output that is no array."""
ShapeRule = Callable[[Node], Shapes]
"""Computes the shapes of a node's outputs; raises NoShape if nothing is known about them."""


@dataclass(frozen=True)
class Like:
    """A shape rule: all outputs have the shape of the input at `position`."""

    position: int
    """Number of the input whose shape the output has."""

    def __call__(self, node: Node) -> Shapes:
        """The shape of input number `position`, for each output."""
        return [node.shape(self.position)] * node.n_outputs


def scalar(node: Node) -> Shapes:
    """A shape rule: all outputs are scalars."""
    return [()] * node.n_outputs


def typed_like(kind: Type, dtype: str | None, shape: tuple[int | None, ...]) -> Type:
    """Returns a type of the same kind as `kind`, with another dtype and static shape."""
    text = f"{kind.text.partition('(')[0]}({dtype}, {len(shape)}D)"
    return Type(kind.kind, dtype, shape, text)


# Helpers for rules of small values, which compute an Op's outputs from known inputs.


MAX_ITEMS = 64
"""Largest number of elements of a value that is tracked."""
ValueRule = Callable[[Node], list[KnownArray]]
"""Computes the values of a node's outputs; raises NoValue if they cannot be determined."""


class NoValue(Exception):
    """Raised if a value cannot be determined from known ones."""


def is_small(shape: tuple[int, ...]) -> bool:
    """Returns whether values of this shape are tracked: they have few elements, and no long dimension even if they are empty."""
    return prod(shape) <= MAX_ITEMS and max(shape, default=0) <= MAX_ITEMS


def needed(node: Node, *positions: int) -> list[KnownArray]:
    """Returns the values of the inputs at `positions` (default: of all inputs). Raises NoValue if one is unknown."""
    arrays = [node.array(i) for i in positions or range(node.n_inputs)]
    known = [f for f in arrays if f is not None]
    if len(known) < len(arrays):
        raise NoValue
    return known


def same(node: Node) -> list[KnownArray]:
    """A value rule: the output is the first input, unchanged."""
    return needed(node, 0)


def first_number(node: Node) -> list[KnownArray]:
    """A value rule: the output is the first element of the first input, as a scalar."""
    (array,) = needed(node, 0)
    return [KnownArray((), (only(array),))]


def only(array: KnownArray) -> Number:
    """Returns the first element of an array; raises NoValue if it has none."""
    if not array.items:
        raise NoValue
    return array.items[0]


def fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Returns whether an array of `shape` can be broadcast to `whole`."""
    return all(d in (1, w) for d, w in zip(shape[::-1], whole[::-1]))


def positions(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Yields the indices of all elements of an array of `shape`, in C order."""
    return itertools.product(*map(range, shape))


def aligned(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Returns the shape to which arrays of these shapes broadcast."""
    ndim = max(map(len, shapes), default=0)
    columns = zip(*((1,) * (ndim - len(s)) + s for s in shapes))
    return tuple(next((d for d in column if d != 1), 1) for column in columns)


def offset_of(shape: tuple[int, ...], at: tuple[int, ...]) -> int:
    """Returns the flat index, in an array of `shape` that is broadcast to a common shape, of the element at `at` of the common shape."""
    offset = 0
    for size, i in zip(shape, at[len(at) - len(shape) :]):
        offset = offset * size + (i if size != 1 else 0)
    return offset


def reshaped_value(node: Node) -> list[KnownArray]:
    """A value rule for Reshape and DimShuffle that keep the order of the elements; the shape comes from the shape rule."""
    (array,) = needed(node, 0)
    if len([d for d in array.shape if d != 1]) > 1 and not node.op.name.endswith("Reshape"):
        raise NoValue
    shape = node.state.shapes[node.apply.outputs[0]]
    if isinstance(shape, Unknown) or any(isinstance(d, Unknown) for d in shape):
        raise NoValue
    return [KnownArray(tuple(int(d) for d in shape if not isinstance(d, Unknown)), array.items)]
