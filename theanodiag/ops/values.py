"""Helpers for rules of small values, which compute an Op's outputs from known inputs."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from math import prod

from ..ir import Unknown
from .node import KnownArray, Node
from .scalars import Number

MAX_ITEMS = 64
"""Largest number of elements of a value that is tracked."""
ValueRule = Callable[[Node], list[KnownArray]]
"""Computes the values of a node's outputs; raises NoValue if they cannot be determined."""


class NoValue(Exception):
    """Raised if a value cannot be determined from known ones."""


def is_small(shape: tuple[int, ...]) -> bool:
    """Whether a value of this shape is tracked: it has few elements, and no long dimension even if it is empty."""
    return prod(shape) <= MAX_ITEMS and max(shape, default=0) <= MAX_ITEMS


def needed(node: Node, *positions: int) -> list[KnownArray]:
    """The values of the inputs at `positions` (default: all inputs). Raises NoValue if one is not known."""
    arrays = [node.array(i) for i in positions or range(node.n_inputs)]
    known = [f for f in arrays if f is not None]
    if len(known) < len(arrays):
        raise NoValue
    return known


def same(node: Node) -> list[KnownArray]:
    """The first input, unchanged."""
    return needed(node, 0)


def first_number(node: Node) -> list[KnownArray]:
    """The first element of the first input, as a scalar."""
    (array,) = needed(node, 0)
    return [KnownArray((), (only(array),))]


def only(array: KnownArray) -> Number:
    """The first element of an array; raises NoValue where it has none."""
    if not array.items:
        raise NoValue
    return array.items[0]


def fits(shape: tuple[int, ...], whole: tuple[int, ...]) -> bool:
    """Whether an array of `shape` broadcasts to `whole`."""
    return all(d in (1, w) for d, w in zip(shape[::-1], whole[::-1]))


def positions(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The positions of all elements of an array of `shape`, in C order."""
    return itertools.product(*map(range, shape))


def aligned(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape to which arrays of these shapes broadcast."""
    ndim = max(map(len, shapes), default=0)
    columns = zip(*((1,) * (ndim - len(s)) + s for s in shapes))
    return tuple(next((d for d in column if d != 1), 1) for column in columns)


def offset_of(shape: tuple[int, ...], at: tuple[int, ...]) -> int:
    """Flat index of the element at `at` of the common shape, in an array of `shape` that is broadcast to it."""
    offset = 0
    for size, i in zip(shape, at[len(at) - len(shape) :]):
        offset = offset * size + (i if size != 1 else 0)
    return offset


def reshaped_value(node: Node) -> list[KnownArray]:
    """Reshape and DimShuffle that keep the order of the elements; the shape comes from the shape rule."""
    (array,) = needed(node, 0)
    if len([d for d in array.shape if d != 1]) > 1 and not node.op.name.endswith("Reshape"):
        raise NoValue
    shape = node.state.shapes[node.apply.outputs[0]]
    if isinstance(shape, Unknown) or any(isinstance(d, Unknown) for d in shape):
        raise NoValue
    return [KnownArray(tuple(int(d) for d in shape if not isinstance(d, Unknown)), array.items)]
