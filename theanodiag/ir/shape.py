"""Shapes whose dimensions may be unknown, and sizes computed from them, which are then Unknown with the reason; dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod
from typing import Optional, Union

from ..errors import UnreadableError
from ..unknown import Unknown as Unknown

# Sizes of the dtypes of Theano, Aesara and PyTensor tensors, and type promotion.

_ITEMSIZE = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip


def itemsize(dtype: str) -> int:
    """Returns the bytes of one element of an array with this dtype. Source: Theano 1.0.5, tensor/type.py, `TensorType.dtype_specs`.

    Raises `UnreadableError` for a name that is no numeric dtype.
    """
    try:
        return _ITEMSIZE[dtype]
    except KeyError:
        raise UnreadableError(f"no tensor has the dtype {dtype!r}", help=f"the known ones are {', '.join(_ITEMSIZE)}") from None


def is_dtype(name: object) -> bool:
    """Returns whether `name` is the name of a numeric dtype."""
    return name in _ITEMSIZE


@lru_cache(maxsize=512)
def upcast(a: str, b: str) -> str:
    """Returns the dtype to which two dtypes are promoted. Source: numpy's `promote_types`, which Theano 1.0.5 scalar/basic.py `upcast`
    calls.

    >>> upcast("float32", "int64"), upcast("float32", "int8"), upcast("uint8", "int8")
    ('float64', 'float32', 'int16')
    """
    if a == b or b == "bool":
        return a
    if a == "bool":
        return b
    if "float" in a + b or "complex" in a + b:
        bits = max(_bits_of_real(a), _bits_of_real(b))
        return f"complex{max(64, 2 * bits)}" if "complex" in a + b else f"float{bits}"
    if a.startswith("u") == b.startswith("u"):
        return max(a, b, key=itemsize)
    signed, unsigned = (b, a) if a.startswith("u") else (a, b)
    size = max(itemsize(signed), 2 * itemsize(unsigned))
    return f"int{8 * size}" if size <= 8 else "float64"


def _bits_of_real(dtype: str) -> int:
    """Width in bits of the smallest float, or part of a complex number, that holds all values of a dtype."""
    if "int" in dtype:
        return min(64, 16 * itemsize(dtype))
    return {"complex64": 32, "complex128": 64}.get(dtype, 8 * itemsize(dtype))


_NOT_INFERRED = Unknown("no shape was inferred")
Dim = Union[int, Unknown]
Shape = tuple[Dim, ...]
Static = tuple[Optional[int], ...]
"""The static shape of a Type: None for a length known only at run time."""
MAX_LENGTH = (1 << 63) - 1
"""Maximum length of a dimension: the largest int64, in numpy as in libgpuarray."""
_MOST_BITS = 512
"""Maximum number of bits of the product of all dimensions, against damaged input."""


def is_impossible(shape: Sequence[Dim]) -> bool:
    """Returns whether a shape is too large for any array: one of its dimensions, or their product."""
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
    """Returns whether all dimensions of a shape are known."""
    return not isinstance(shape, Unknown) and Unknown not in map(type, shape)


def numel(shape: Shape | Unknown) -> int | Unknown:
    """Returns the number of elements of an array with this shape. Unknown if a dimension is unknown, unless another one is 0."""
    if isinstance(shape, Unknown):
        return shape
    known = [d for d in shape if not isinstance(d, Unknown)]
    if 0 in known:
        return 0
    return next((d for d in shape if isinstance(d, Unknown)), prod(known))


def admits(static: Sequence[int | None], shape: Sequence[int]) -> bool:
    """Returns whether a Type with that static shape (None: any length) can have values of `shape`."""
    return len(static) == len(shape) and all(a is None or a == b for a, b in zip(static, shape))


def static_text(static: Sequence[int | None]) -> str:
    """Returns a static shape as text, with `?` for open lengths, such as `(?, 784)`."""
    return f"({', '.join('?' if d is None else str(d) for d in static)})"


def shape_text(shape: Shape | Unknown) -> str:
    """Returns a shape as text, with `?` for unknown dimensions, such as `(128, 784)`."""
    if isinstance(shape, Unknown):
        return "(?)"
    dims = ["?" if isinstance(d, Unknown) else str(d) for d in shape]
    return f"({', '.join(dims)}{',' if len(dims) == 1 else ''})"


def nbytes(shape: Shape | Unknown, dtype: str) -> int | Unknown:
    """Returns the bytes of a dense array; Unknown if the number of elements is unknown.

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
        """Ids of the Variables of which a dimension, or the number of dimensions, is unknown."""
        return frozenset([v for v, s in self.shapes.items() if isinstance(s, Unknown) or Unknown in map(type, s)])

    def shape(self, variable: int) -> Shape | Unknown:
        """Returns the shape of the Variable with id `variable`; Unknown if none was inferred."""
        return self.shapes.get(variable, _NOT_INFERRED)
