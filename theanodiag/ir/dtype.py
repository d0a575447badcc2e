"""Sizes of the dtypes of Theano, Aesara and PyTensor tensors, and type promotion."""

from __future__ import annotations

from functools import lru_cache

from ..errors import UnreadableError

_ITEMSIZE = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8,
    "float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip


def itemsize(dtype: str) -> int:
    """Bytes of one element. Source: Theano 1.0.5, tensor/type.py, `TensorType.dtype_specs`.

    Raises `UnreadableError` for a name that is no numeric dtype.
    """
    try:
        return _ITEMSIZE[dtype]
    except KeyError:
        raise UnreadableError(f"no tensor has the dtype {dtype!r}", help=f"the known ones are {', '.join(_ITEMSIZE)}") from None


def is_dtype(name: object) -> bool:
    """Whether `name` is the name of a numeric dtype."""
    return name in _ITEMSIZE


@lru_cache(maxsize=512)
def upcast(a: str, b: str) -> str:
    """The dtype to which two dtypes are promoted. Source: numpy's `promote_types`, which Theano 1.0.5 scalar/basic.py `upcast` calls.

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
