"""Shapes whose dimensions may be unknown, and sizes computed from them, which are then Unknown with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Optional, Union

from ..unknown import Unknown as Unknown
from .dtype import itemsize

_NOT_INFERRED = Unknown("no shape was inferred")
Dim = Union[int, Unknown]
Shape = tuple[Dim, ...]
Static = tuple[Optional[int], ...]
"""The static shape of a Type: None for a length known only at run time."""
MAX_LENGTH = (1 << 63) - 1
"""The longest dimension: the largest int64, in numpy as in libgpuarray."""
_MOST_BITS = 512
"""The most bits of the product of all dimensions: a bound against the shapes of damaged input."""


def is_impossible(shape: Sequence[Dim]) -> bool:
    """Whether a dimension, or the product of all dimensions, is too large for any array."""
    bits = 0
    for d in shape:
        if not isinstance(d, Unknown):
            if d > MAX_LENGTH:
                return True
            bits += int(d).bit_length()
    return bits > _MOST_BITS


Value = Union[int, float, bool, tuple["Value", ...]]
"""A small value that is known without running the model: a number, or nested tuples of numbers."""


def is_exact(shape: Shape | Unknown) -> bool:
    """Whether all dimensions are known."""
    return not isinstance(shape, Unknown) and Unknown not in map(type, shape)


def numel(shape: Shape | Unknown) -> int | Unknown:
    """Number of elements; Unknown where a dimension is, unless another one is 0."""
    if isinstance(shape, Unknown):
        return shape
    known = [d for d in shape if not isinstance(d, Unknown)]
    if 0 in known:
        return 0
    return next((d for d in shape if isinstance(d, Unknown)), prod(known))


def admits(static: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Whether a Type with that static shape (None: any length) can have values of `shape`."""
    return len(static) == len(shape) and all(a is None or a == b for a, b in zip(static, shape))


def static_text(static: Sequence[int | None]) -> str:
    """The static shape as text, `?` for open lengths: `(?, 784)`."""
    return f"({', '.join('?' if d is None else str(d) for d in static)})"


def shape_text(shape: Shape | Unknown) -> str:
    """A shape as text, `?` for what is unknown: `(128, 784)`."""
    if isinstance(shape, Unknown):
        return "(?)"
    dims = ["?" if isinstance(d, Unknown) else str(d) for d in shape]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"


def nbytes(shape: Shape | Unknown, dtype: str) -> int | Unknown:
    """Bytes of a dense array; Unknown where the number of elements is.

    >>> nbytes((128, 784), "float32")
    401408
    """
    n = numel(shape)
    return n if isinstance(n, Unknown) else n * itemsize(dtype)


@dataclass(frozen=True)
class ShapeTable:
    """Shapes of the Variables of one FunctionGraph for one set of input shapes, by Variable id."""

    shapes: Mapping[int, Shape | Unknown]
    """Variable id -> shape."""
    values: Mapping[int, Value] = field(default_factory=dict)
    """Variable id -> small value that is known without running the model."""
    inner: Mapping[int, ShapeTable] = field(default_factory=dict)
    """Id of an Apply with an inner graph -> ShapeTable of one step of it."""
    bounded: frozenset[int] = frozenset()
    """Ids of the Variables whose shape is an upper bound: the real one depends on data."""

    @cached_property
    def open(self) -> frozenset[int]:
        """Ids of the Variables with an unknown dimension or an unknown rank."""
        return frozenset([v for v, s in self.shapes.items() if isinstance(s, Unknown) or Unknown in map(type, s)])

    def shape(self, variable: int) -> Shape | Unknown:
        """The shape of Variable `variable`; Unknown where none was inferred."""
        return self.shapes.get(variable, _NOT_INFERRED)
