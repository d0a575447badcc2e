"""Dtypes of scalar Ops, and of expressions of them, from the dtypes of their inputs.

Sources: Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.3.7 scalar/basic.py, `output_types_preference` of the Ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ..ir.dtype import is_dtype, itemsize, upcast
from .composite import Expression, InputRef, ScalarCall

Dtypes = Sequence["str | None"]
"""Dtypes, None for a literal, which takes the dtype of what it is computed with."""
TRUTH = "bool"
"""Dtype of comparisons; Theano before 1.0 has int8, which is as large."""
_TRUTHS = frozenset({"lt", "gt", "le", "ge", "eq", "neq", "isnan", "isinf", "inrange", "not", "lessthan", "greaterthan"})
_SAME = frozenset(
    {
        "add", "sub", "mul", "neg", "abs", "sqr", "square", "sgn", "sign", "maximum", "minimum", "intdiv", "floordivide", "mod", "pow",
        "identity", "clip", "conj", "and", "or", "xor", "invert", "bitwiseand", "bitwiseor", "bitwisexor", "mean", "roundhalftoeven",
        "roundhalfawayfromzero", "ceil", "floor", "trunc", "composite",
    }
)  # fmt: skip
"""Scalar Ops with integer results for integer arguments; all others make floats."""
_PARTS = frozenset({"abs", "real", "imag", "angle"})
"""Scalar Ops with a real result for a complex argument."""


def scalar_dtype(name: str, dtypes: Dtypes, floatX: str, cast: str | None = None) -> str | None:
    """The dtype of what scalar Op `name` computes; `cast` is the dtype that it is told to make, where one is printed."""
    if is_dtype(cast):
        return cast
    word = _word(name)
    if word in _TRUTHS:
        return TRUTH
    if word.startswith("convertto") and is_dtype(word[9:]):
        return word[9:]
    if word == "second":
        return dtypes[-1] if dtypes else None
    if word == "switch":
        return widest(dtypes[1:])
    found = widest(dtypes)
    if word == "abs" or found is None:
        return _part(found)
    if word in ("truediv", "truedivide") and not _is_real(found):
        return floatX
    return _part(found) if word in _PARTS else found if word in _SAME or _is_real(found) else as_float(found)


def is_truth(name: str) -> bool:
    """Whether a scalar Op has a Boolean result."""
    return _word(name) in _TRUTHS


def _word(name: str) -> str:
    return name.partition("{")[0].replace("_", "").lower().removeprefix("scalar")


def widest(dtypes: Dtypes) -> str | None:
    """The dtype to which all upcast; None where none is known."""
    known = [d for d in dtypes if d is not None]
    return reduce(upcast, known) if known else None


def as_float(dtype: str) -> str:
    """The float dtype of a result for arguments of `dtype`. Source: Theano 1.0.5 scalar/basic.py `upgrade_to_float`."""
    return dtype if _is_real(dtype) else "float32" if itemsize(dtype) <= 2 else "float64"


def _is_real(dtype: str) -> bool:
    return "float" in dtype or "complex" in dtype


def _part(dtype: str | None) -> str | None:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype or "", dtype)


def expression_dtype(expression: Expression, dtypes: Dtypes, floatX: str) -> str | None:
    """The dtype of an expression over inputs of these dtypes; None for a literal."""
    if isinstance(expression, InputRef):
        return dtypes[expression.position] if expression.position < len(dtypes) else None
    if not isinstance(expression, ScalarCall):
        return None
    inside = [expression_dtype(a, dtypes, floatX) for a in expression.arguments]
    if isinstance(expression.function, tuple):
        return expression_dtype(expression.function[0], inside, floatX)
    return scalar_dtype(expression.function, inside, floatX, expression.dtype)
