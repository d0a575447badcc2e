"""Scalar Ops: how they are printed, what they compute from numbers, for shape arithmetic, and the dtype of what they compute.

Values are not followed through scalar Ops that are not in `FUNCTIONS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Union

from ..ir import Apply, Constant, FunctionGraph
from ..ir.shape import is_dtype
from .dtypes import Dtypes, as_float, is_real, widest

Number = Union[int, float]
"""An element of a known value."""


def _pow(a: Number, b: Number) -> Number:
    if abs(b) > 64:
        raise OverflowError("a power of shape arithmetic")
    return float(a) ** b if b < 0 else a ** int(b)


FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "Add": lambda *values: sum(values), "Mul": lambda *values: math.prod(values), "Sub": lambda a, b: a - b,
    "IntDiv": lambda a, b: a // b, "TrueDiv": lambda a, b: a / b, "Mod": lambda a, b: a % b,
    "Neg": lambda a: -a, "Abs": abs, "Maximum": max, "Minimum": min,
    "Switch": lambda condition, then, other: then if condition else other, "Cast": lambda a: a, "Identity": lambda a: a,
    "Second": lambda a, b: b, "Clip": lambda a, low, high: max(low, min(a, high)), "LT": lambda a, b: int(a < b),
    "LE": lambda a, b: int(a <= b), "GT": lambda a, b: int(a > b), "GE": lambda a, b: int(a >= b), "EQ": lambda a, b: int(a == b),
    "NEQ": lambda a, b: int(a != b), "AND": lambda a, b: int(a) & int(b), "OR": lambda a, b: int(a) | int(b),
    "Sqr": lambda a: a * a, "Sgn": lambda a: (a > 0) - (a < 0), "Ceil": math.ceil,
    "Floor": math.floor, "Trunc": math.trunc, "Sqrt": math.sqrt, "Pow": _pow,
}  # fmt: skip
"""Canonical name of a scalar Op -> function that computes its value."""
ARITY: Mapping[str, int] = {
    **dict.fromkeys(("Sub", "IntDiv", "TrueDiv", "Mod", "Pow", "Second", "LT", "LE", "GT", "GE", "EQ", "NEQ"), 2), "Switch": 3, "Clip": 3,
}  # fmt: skip
"""Scalar Op -> number of arguments, for those that take neither one nor any number of them."""
MONOTONE = frozenset({"Add", "Mul", "Maximum", "Minimum", "Cast", "Identity", "Second"})
"""Scalar Ops that, for numbers >= 0, do not decrease when an argument grows: upper bounds of arguments give an upper bound of the
result.
"""
_ALIASES = {
    "scalarmaximum": "Maximum", "scalarminimum": "Minimum", "scalar_maximum": "Maximum", "scalar_minimum": "Minimum",
    "true_div": "TrueDiv", "truedivide": "TrueDiv", "true_divide": "TrueDiv",
    "int_div": "IntDiv", "floordivide": "IntDiv", "floor_divide": "IntDiv", "and_": "AND", "bitwise_and": "AND", "or_": "OR",
    "bitwise_or": "OR", "sign": "Sgn", "square": "Sqr", "abs_": "Abs", "le_": "LE",
}  # fmt: skip
_BY_LOWER = {**{name.lower(): name for name in FUNCTIONS}, **_ALIASES}


def canonical(name: str) -> str | None:
    """Returns the name in FUNCTIONS of a scalar Op, whichever framework's spelling is given; None if it is not there."""
    return _BY_LOWER.get(name.partition("{")[0].lower())


def cast(value: Number, dtype: str | None) -> Number:
    """Converts a number to `dtype`. Raises OverflowError if it does not fit."""
    if dtype is None or dtype.startswith("complex"):
        if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
            raise OverflowError("no integer of any dtype")
        return value
    if dtype.startswith("float"):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError("no integer")
    if dtype == "bool":
        return bool(value)
    bits = int(dtype.lstrip("uint") or 64)
    low, high = (0, 1 << bits) if dtype.startswith("u") else (-(1 << bits - 1), 1 << bits - 1)
    if not low <= int(value) < high:
        raise OverflowError(dtype)
    return int(value)


MAX_DEPTH = 20
"""Deepest nesting of Composites."""


def evaluate(graph: FunctionGraph, values: Sequence[Number], depth: int = 0) -> list[Number]:
    """Returns the values of the graph's outputs for these values of its inputs. Raises LookupError if a node cannot be evaluated."""
    if depth > MAX_DEPTH or len(values) != len(graph.inputs):
        raise LookupError(graph.name)
    known = {v.id: number for v in graph.variables if isinstance(v, Constant) and (number := _number(v)) is not None}
    known.update((i.variable, value) for i, value in zip(graph.inputs, values))
    for node in graph.applies:
        results = _results(node, [known[v] for v in node.inputs], depth)
        known.update((v, cast(r, graph.variables[v].type.dtype)) for v, r in zip(node.outputs, results))
    return [known[v] for v in graph.outputs]


def _number(constant: Constant) -> Number | None:
    return constant.value if isinstance(constant.value, (int, float)) else None


def _results(node: Apply, values: list[Number], depth: int) -> list[Number]:
    if node.op.inner is not None:
        return evaluate(node.op.inner, values, depth + 1)
    return [FUNCTIONS[name_of(node)](*values)]


def name_of(node: Apply) -> str:
    """Returns the canonical name of a node's scalar Op. Raises LookupError for one that cannot be evaluated."""
    name = canonical(str(node.op.params.get("scalar_op", node.op.name)))
    if name is None:
        raise LookupError(node.op.name)
    return name


def multiplies(graph: FunctionGraph) -> bool:
    """Returns whether the graph contains a product, or another inner graph."""
    return any(n.op.inner is not None or canonical(str(n.op.params.get("scalar_op", n.op.name))) == "Mul" for n in graph.applies)


def has_negative(graph: FunctionGraph) -> bool:
    """Returns whether the graph contains a negative constant."""
    return any(isinstance(v, Constant) and (number := _number(v)) is not None and number < 0 for v in graph.variables)


def is_monotone(graph: FunctionGraph) -> bool:
    """Returns whether upper bounds of the graph's inputs (all >= 0) give upper bounds of its outputs."""
    return all(n.op.inner is None and canonical(str(n.op.params.get("scalar_op", n.op.name))) in MONOTONE for n in graph.applies)


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
"""Scalar Ops with integer results for integer arguments; all others have float results."""
_PARTS = frozenset({"abs", "real", "imag", "angle"})
"""Scalar Ops with a real result for a complex argument."""


def scalar_dtype(name: str, dtypes: Dtypes, floatX: str, cast: str | None = None) -> str | None:
    """Returns the output dtype of scalar Op `name`; `cast` is the dtype to which it converts, if the text prints one."""
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
    dtype = widest(dtypes)
    if word == "abs" or dtype is None:
        return _part(dtype)
    if word in ("truediv", "truedivide") and not is_real(dtype):
        return floatX
    return _part(dtype) if word in _PARTS else dtype if word in _SAME or is_real(dtype) else as_float(dtype)


def is_truth(name: str) -> bool:
    """Returns whether a scalar Op has a Boolean result."""
    return _word(name) in _TRUTHS


def _word(name: str) -> str:
    return name.partition("{")[0].replace("_", "").lower().removeprefix("scalar")


def _part(dtype: str | None) -> str | None:
    return {"complex64": "float32", "complex128": "float64"}.get(dtype or "", dtype)


THEANO_NAMES = {
    "and": "AND", "or": "OR", "xor": "XOR", "invert": "Invert", "eq": "EQ", "neq": "NEQ", "lt": "LT", "gt": "GT", "le": "LE", "ge": "GE",
    "abs": "Abs", "abs_": "Abs", "add": "Add", "sub": "Sub", "mul": "Mul", "true_div": "TrueDiv", "truediv": "TrueDiv", "int_div": "IntDiv",
    "intdiv": "IntDiv", "mod": "Mod", "pow": "Pow", "clip": "Clip", "second": "Second", "identity": "Identity", "cast": "Cast",
    "switch": "Switch", "maximum": "Maximum", "minimum": "Minimum", "isnan": "IsNan", "isinf": "IsInf", "inrange": "InRange",
    "roundhalfawayfromzero": "RoundHalfAwayFromZero", "roundhalftoeven": "RoundHalfToEven", "neg": "Neg", "inv": "Inv", "sqr": "Sqr",
    "sqrt": "Sqrt", "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "log": "Log", "log2": "Log2", "log10": "Log10", "log1p": "Log1p",
    "sgn": "Sgn", "ceil": "Ceil", "floor": "Floor", "trunc": "Trunc", "deg2rad": "Deg2Rad", "rad2deg": "Rad2Deg", "angle": "Angle",
    "cos": "Cos", "cosh": "Cosh", "sin": "Sin", "sinh": "Sinh", "tan": "Tan", "tanh": "Tanh", "arccos": "ArcCos", "arccosh": "ArcCosh",
    "arcsin": "ArcSin", "arcsinh": "ArcSinh", "arctan": "ArcTan", "arctan2": "ArcTan2", "arctanh": "ArcTanh", "real": "Real",
    "imag": "Imag", "conj": "Conj", "complex": "Complex", "complex_from_polar": "ComplexFromPolar", "erf": "Erf", "erfc": "Erfc",
    "erfcinv": "Erfcinv", "erfcx": "Erfcx", "erfinv": "Erfinv", "gamma": "Gamma", "gammaln": "GammaLn", "gammainc": "GammaInc",
    "gammaincc": "GammaIncC", "gammal": "GammaL", "gammau": "GammaU", "psi": "Psi", "tri_gamma": "TriGamma", "chi2sf": "Chi2SF",
    "i0": "I0", "i1": "I1", "iv": "Iv", "j0": "J0", "j1": "J1", "jv": "Jv", "composite": "Composite", "sigmoid": "ScalarSigmoid",
    "sigmoid_inplace": "ScalarSigmoid", "softsign": "ScalarSoftsign", "ultra_fast_sigmoid": "UltraFastScalarSigmoid",
    "ultra_fast_sigmoid_inplace": "UltraFastScalarSigmoid", "xlogx": "XlogX", "xlogy0": "XlogY0",
    "scalar_sigmoid": "ScalarSigmoid", "softplus": "ScalarSoftplus", "scalar_softplus": "ScalarSoftplus",
}  # fmt: skip
"""Printed name -> class name of scalar Ops, for Theano 0.4 to 1.0.5 and Theano-PyMC. Source: `__str__` of the Ops in the folders tensor and
scalar.
"""
AESARA_NAMES = {
    "true_divide": "TrueDivide", "floor_divide": "FloorDivide", "square": "Sqr", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid",
    "scalar_softplus": "Softplus", "scalar_log1mexp": "Log1mexp", "log1mexp": "Log1mexp", "mean": "Mean", "betainc": "BetaInc",
    "betainc_der": "BetaIncDer", "gammainc_der": "GammaIncDer", "gammaincc_der": "GammaIncCDer", "hyp2f1": "Hyp2F1",
    "scalar_maximum": "ScalarMaximum", "scalar_minimum": "ScalarMinimum",
    "hyp2f1_der": "Hyp2F1Der", "owens_t": "Owens_t", "softplus": "Softplus",
}  # fmt: skip
"""Printed name -> class name of scalar Ops, for Aesara 2.0.0 to 2.9.4, where it differs from Theano's."""
PYTENSOR_NAMES = {
    "true_div": "TrueDiv", "int_div": "IntDiv", "sqr": "Sqr", "sign": "Sign", "maximum": "Maximum", "minimum": "Minimum",
    "scalarmaximum": "ScalarMaximum", "scalarminimum": "ScalarMinimum",
    "betaincinv": "BetaIncInv", "gammainccinv": "GammaIncCInv", "gammaincinv": "GammaIncInv", "ive": "Ive", "kve": "Kve",
    "ndtri_exp": "NdtriExp", "polygamma": "PolyGamma", "and_": "AND", "or_": "OR", "invert_": "Invert", "round": "RoundHalfToEven",
}  # fmt: skip
"""Printed name -> class name of scalar Ops, for PyTensor 2.8.11 to 3.3.7, where it differs from Aesara's."""
PRINTED = {**AESARA_NAMES, **PYTENSOR_NAMES, **THEANO_NAMES, "sigmoid": "Sigmoid", "softplus": "Softplus"}
"""Name of a scalar Op as printed, in lower case -> class name, for all frameworks."""
