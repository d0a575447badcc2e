"""Parses types as the frameworks print them.

Examples: `TensorType(float32, matrix)`, `Matrix(float64, shape=(?, 3))`, `GpuArrayType<None>(float32, row)`.
Sources: Theano 0.4.1 to 1.0.5 tensor/type.py and basic.py, gpuarray/type.py, sandbox/cuda/type.py; Aesara 2.9.4 and PyTensor 3.3.7
tensor/type.py.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..ir import Type, TypeKind
from ..ir.shape import Static

NOT_PRINTED = Type(TypeKind.OTHER, None, (), "")
"""The type of a Variable about which the text says nothing."""

_CALL = re.compile(r"(?P<kind>[A-Za-z]\w*)(?:<[^<>]*>)?\((?P<dtype>\w+)\s*(?:,\s*(?:shape\s*=\s*)?(?P<shape>.+?)\s*)?\)$", re.DOTALL)
_SPARSE = re.compile(r"Sparse(?:TensorType|Variable)?[\[(](?P<dtype>\w+)[^)\]]*[\])]$")
_SPARSE_PROPS = re.compile(r"SparseTensorType\{dtype='(?P<dtype>\w+)', format='\w+', shape=(?P<shape>\([^()]*\))\}$")
_NAMED = {"scalar": (), "vector": (None,), "matrix": (None, None), "row": (1, None), "col": (None, 1)}
_N_DIMENSIONS = re.compile(r"(\d{1,2})D$|tensor(\d{1,2})$")
_SCALARS = re.compile(r"(?:bool|u?int(?:8|16|32|64)|float(?:16|32|64)|complex(?:64|128))$")
_KINDS = {"GpuArrayType": TypeKind.GPUARRAY, "CudaNdarrayType": TypeKind.CUDANDARRAY, "SparseType": TypeKind.SPARSE}
_TENSORS = re.compile(r"(?:TensorType|Scalar|Vector|Matrix|Tensor\d+|DenseTensorType)$")
_ITEM = re.compile(r"[^,\s()]+")
_ITEMS: dict[str, int | None] = {"True": 1, "False": None, "None": None, "?": None}
MAX_NDIM = 64
"""Largest number of dimensions of a type, numpy's own limit."""


@lru_cache(maxsize=4096)
def read_type(text: str) -> Type:
    """The Type that `text` shows; one of kind OTHER with this text where it is unknown."""
    match = _CALL.match(text)
    if match:
        shape = _dimensions(match["shape"] or "()")
        kind = _KINDS.get(match["kind"]) or (TypeKind.TENSOR if _TENSORS.match(match["kind"]) else None)
        if kind is not None and shape is not None:
            return Type(kind, match["dtype"], shape, text)
    if _SCALARS.match(text):
        return Type(TypeKind.SCALAR, text, (), text)
    if text.startswith("Scalar(") and text.endswith(")") and _SCALARS.match(text[7:-1]):
        return Type(TypeKind.SCALAR, text[7:-1], (), text)
    sparse = _SPARSE.match(text)
    if sparse:
        return Type(TypeKind.SPARSE, sparse["dtype"], (None, None), text)
    sparse = _SPARSE_PROPS.match(text)
    if sparse:  # Aesara 2.9.4 and PyTensor 3.0.7, sparse/type.py
        return Type(TypeKind.SPARSE, sparse["dtype"], _dimensions(sparse["shape"]) or (None, None), text)
    return Type(TypeKind.RANDOM if "Random" in text else TypeKind.OTHER, None, (), text)


def static_of(text: str) -> Static | None:
    """The static shape that `print_shape` shows, such as `(?, 3)`; None where `text` is none."""
    return _dimensions(text)


def _dimensions(text: str) -> Static | None:
    """`matrix`, `3D`, `(True, False)`, `(?, 3)` or `(None, 3)` as a static shape; None for other text."""
    if text in _NAMED:
        return _NAMED[text]
    match = _N_DIMENSIONS.match(text)
    if match:
        return (None,) * min(int(match[1] or match[2]), MAX_NDIM)
    if not (text.startswith("(") and text.endswith(")")):
        return None
    items = _ITEM.findall(text)
    if len(items) > MAX_NDIM or not all(i in _ITEMS or (i.isascii() and i.isdigit() and len(i) < 19) for i in items):
        return None
    return tuple(_ITEMS[i] if i in _ITEMS else int(i) for i in items)


_TYPE_NAME = re.compile(r"(?:\*\d+-)?<(?P<type>.*)>$", re.DOTALL)

_STATE_NAME = re.compile(r"(?:RNG|Random(?:State|Generator)SharedVariable)\(<")
"""How Aesara 2.9.4 and PyTensor 3.0.7 print the shared state of a generator without a name."""


def type_of_name(text: str) -> str | None:
    """The type that a name shows; None where it shows none.

    A nameless Variable is `<TensorType(float32, matrix)>` or `*0-<Vector(...)>`, the state of a generator `RNG(<Generator(PCG64) at
    0x7F>)`.
    """
    state = _STATE_NAME.match(text)
    if state:
        return "RandomStateType" if "State" in state[0] else "RandomGeneratorType"
    match = _TYPE_NAME.match(text)
    return match["type"] if match and " object at 0x" not in text else None
