"""Shapes whose dimensions may be unknown, and sizes that then are unknown too, with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Optional, Union

from .dtype import itemsize


@dataclass(frozen=True)
class Unknown:
    """A value nobody can give, and why. It is never 0, -1 or NaN."""

    reason: str


_NOT_INFERRED = Unknown("no shape was inferred")
Dim = Union[int, Unknown]
Shape = tuple[Dim, ...]
Static = tuple[Optional[int], ...]
"""The static shape of a Type: None for a length that only a call tells."""
MAX_LENGTH = (1 << 63) - 1
"""The longest dimension: what an int64 holds, in numpy as in libgpuarray."""
_MOST_BITS = 512
"""Sizes of more bits are no sizes: a bound for what damaged or invented shapes multiply to."""


def is_impossible(shape: Sequence[Dim]) -> bool:
    """Whether no array can have that shape, nor anything be computed with it: a dimension is too long, or all together are."""
    bits = 0
    for d in shape:
        if not isinstance(d, Unknown):
            if d > MAX_LENGTH:
                return True
            bits += int(d).bit_length()
    return bits > _MOST_BITS


Value = Union[int, float, bool, tuple["Value", ...]]
"""A small value that was followed through the graph: a scalar, or nested tuples."""


def is_exact(shape: Shape | Unknown) -> bool:
    """Whether all dimensions are known."""
    return not isinstance(shape, Unknown) and Unknown not in map(type, shape)


def numel(shape: Shape | Unknown) -> int | Unknown:
    """Number of elements, or why it is unknown (0 in any dimension makes it 0 whatever the others are)."""
    if isinstance(shape, Unknown):
        return shape
    known = [d for d in shape if not isinstance(d, Unknown)]
    if 0 in known:
        return 0
    return next((d for d in shape if isinstance(d, Unknown)), prod(known))


def admits(static: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Whether a Type of that static shape (None: any length) may have `shape`."""
    return len(static) == len(shape) and all(a is None or a == b for a, b in zip(static, shape))


def static_text(static: Sequence[int | None]) -> str:
    """`(?, 784)`."""
    return f"({', '.join('?' if d is None else str(d) for d in static)})"


def shape_text(shape: Shape | Unknown) -> str:
    """`(128, 784)`, with `?` for what is unknown."""
    if isinstance(shape, Unknown):
        return "(?)"
    dims = ["?" if isinstance(d, Unknown) else str(d) for d in shape]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"


def nbytes(shape: Shape | Unknown, dtype: str) -> int | Unknown:
    """Bytes of a dense array, or why they are unknown.

    >>> nbytes((128, 784), "float32")
    401408
    """
    n = numel(shape)
    return n if isinstance(n, Unknown) else n * itemsize(dtype)


@dataclass(frozen=True)
class ShapeTable:
    """Shapes of the Variables of one FunctionGraph for one set of input shapes, by Variable id."""

    shapes: Mapping[int, Shape | Unknown]
    values: Mapping[int, Value] = field(default_factory=dict)
    """Small values that are known without running the model, by Variable id."""
    inner: Mapping[int, ShapeTable] = field(default_factory=dict)
    """Tables of inner graphs (of one step), by the id of the Apply that holds them."""
    bounded: frozenset[int] = frozenset()
    """Ids of the Variables whose shape is an upper bound (its real size depends on data)."""

    @cached_property
    def open(self) -> frozenset[int]:
        """Ids of the Variables of which a dimension is not known, or not even their number."""
        return frozenset([v for v, s in self.shapes.items() if isinstance(s, Unknown) or Unknown in map(type, s)])

    def shape(self, variable: int) -> Shape | Unknown:
        """The shape of Variable `variable`; `Unknown` where no rule gave one."""
        return self.shapes.get(variable, _NOT_INFERRED)
