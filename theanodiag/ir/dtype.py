"""Sizes of the dtypes that Theano, Aesara and PyTensor tensors have."""

from __future__ import annotations

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
