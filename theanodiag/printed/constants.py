"""Parses constants as the frameworks print them.

Examples: `TensorConstant{(3, 1) of 1.0}`, `Constant{-1}`, `[[1. 2.]]`, `GpuArrayConstant{[[ 0.5]]}`.
Sources: Theano 0.4.1 to 1.0.5 tensor/var.py (`TensorConstant.__str__`: cut to 20 characters with `..`), gof/graph.py (`...`),
gpuarray/type.py; PyTensor 3.3.7 graph/basic.py (` ... `).
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from ..ir import Shape, TypeKind, Unknown
from ..ir.shape import Value

_BRACED = re.compile(r"(?P<kind>\w*Const(?:ant)?)\{(?P<body>.*)\}$", re.DOTALL)
_SAME = re.compile(r"\((?P<shape>[\d, ]*)\) of (?P<value>\S+)$")
_CUT_SAME = re.compile(r"\((?P<shape>[\d, ]*)\) ?of?.*\.\.")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)$")
_NAMED_BARE = re.compile(r"\w+\{(?P<body>[-+\d.\[].*|nan|inf|True|False|None)\}$", re.DOTALL)
_TOKEN = re.compile(r"\[|\]|[^\s\[\],]+")
_KINDS = {"GpuArrayConstant": TypeKind.GPUARRAY, "CudaNdarrayConstant": TypeKind.CUDANDARRAY, "TensorConstant": TypeKind.TENSOR,
          "ScalarConstant": TypeKind.SCALAR, "Constant": TypeKind.SCALAR}  # fmt: skip
_WORDS = frozenset({"True", "False", "None", "NoneConst", "nan", "inf"})
_TOO_LONG = Unknown("the constant's shape is damaged: no dimension is so long")
_CUT = Unknown("the constant's value is abbreviated in the text")
MAX_VALUES = 64
"""Largest number of elements of a value that is kept."""


class Literal(NamedTuple):
    """Kind, shape and value of a printed constant; the value is None if it is unknown or too large."""

    kind: TypeKind
    shape: Shape
    value: Value | None


def read_constant(text: str) -> Literal | None:
    """Parses the text of a leaf as a constant; None if it is not one."""
    if text.isidentifier() and text not in _WORDS:  # fast path for nearly all leaves
        return None
    match = _BRACED.match(text)
    if match:
        return _body(match["body"], _KINDS.get(match["kind"], TypeKind.OTHER))
    if text in ("True", "False") or _NUMBER.match(text):
        return Literal(TypeKind.OTHER, (), _number(text))
    if text.startswith("[") and text.endswith("]"):
        return _body(text, TypeKind.TENSOR)
    if text in ("None", "NoneConst"):
        return Literal(TypeKind.OTHER, (), None)
    bare = _NAMED_BARE.match(text)
    return _body(bare["body"], TypeKind.OTHER) if bare else None


def _body(body: str, kind: TypeKind) -> Literal:
    same = _SAME.match(body)
    if same and ".." not in body:
        shape = _dimensions(same["shape"])
        return Literal(kind, shape, _filled(shape, _number(same["value"])))
    cut = _CUT_SAME.match(body)
    if cut:
        return Literal(kind, _dimensions(cut["shape"]), None)
    body = body.strip()
    if body.startswith("["):
        return _array(body, kind)
    return Literal(kind, (), _number(body))


def _number(text: str) -> Value | None:
    """A finite number or a Boolean; None for anything else."""
    if text in ("True", "False"):
        return text == "True"
    if not _NUMBER.match(text) or len(text) > 40:
        return None
    if text.lstrip("+-").isdigit():
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else None


def _dimensions(text: str) -> Shape:
    """All integers in `text`; Unknown for one that is too long to be a dimension."""
    return tuple(int(d) if len(d) < 19 else _TOO_LONG for d in re.findall(r"\d+", text))


def _filled(shape: Shape, value: Value | None) -> Value | None:
    """Nested tuples of this shape filled with `value`; None for a shape that is large in any dimension."""
    known = [d for d in shape if isinstance(d, int) and d <= MAX_VALUES]
    if value is None or len(known) < len(shape) or math.prod(known) > MAX_VALUES or len(shape) > 8:
        return None
    for n in reversed(known):
        value = (value,) * n
    return value


def _array(body: str, kind: TypeKind) -> Literal:
    """A printed array: with its value if that is complete, else only with its number of dimensions."""
    ndim = len(body) - len(body.lstrip("["))
    unknown = Literal(kind, (_CUT,) * min(ndim, 64), None)
    if ".." in body or ndim > 32 or len(body) > 4000:
        return unknown
    stack: list[list[Value]] = [[]]
    for token in _TOKEN.findall(body):
        if token == "[":
            stack.append([])
        elif token == "]" and len(stack) > 1:
            row = tuple(stack.pop())
            stack[-1].append(row)
        else:
            value = _number(token)
            if value is None:
                return unknown
            stack[-1].append(value)
    return _checked(stack, unknown)


def _checked(stack: list[list[Value]], unknown: Literal) -> Literal:
    """The array on the `stack`, if it is a single rectangular one; else `unknown`."""
    if len(stack) != 1 or len(stack[0]) != 1:
        return unknown
    whole = stack[0][0]
    shape = _shape(whole)
    if shape is None or len(shape) != len(unknown.shape):
        return unknown
    return Literal(unknown.kind, shape, whole if math.prod(shape) <= MAX_VALUES else None)


def _shape(value: Value) -> tuple[int, ...] | None:
    """Shape of nested tuples; None if rows differ."""
    if not isinstance(value, tuple):
        return ()
    rows = {_shape(v) for v in value}
    if len(rows) > 1 or None in rows:
        return None
    below = next(iter(rows), ())
    return (len(value), *(below or ()))


_PAIR = re.compile(r"(\d{1,6})\s*:\s*[\[(]([\d,\s]*)[\])]")


def index_map(text: str) -> dict[int, tuple[int, ...]]:
    """Parses a printed view_map or destroy_map, such as `{0: [0], 1: [2]}`; outputs without inputs are left out."""
    rows = {int(out): tuple(int(i) for i in re.findall(r"\d{1,6}", inputs)) for out, inputs in _PAIR.findall(text)}
    return {out: inputs for out, inputs in rows.items() if inputs}
