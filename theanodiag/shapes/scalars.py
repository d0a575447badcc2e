"""Scalar Ops as functions of numbers, for evaluating shape arithmetic; values are not followed through Ops that are not listed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from ..ir import Apply, Constant, FunctionGraph
from .state import Number


def _int_div(a: Number, b: Number) -> Number:
    return a // b


def _mod(a: Number, b: Number) -> Number:
    return a % b


def _added(*values: Number) -> Number:
    return sum(values)


def _multiplied(*values: Number) -> Number:
    return math.prod(values)


def _switch(condition: Number, then: Number, other: Number) -> Number:
    return then if condition else other


def _sign(a: Number) -> Number:
    return (a > 0) - (a < 0)


def _and(a: Number, b: Number) -> Number:
    return int(a) & int(b)


def _or(a: Number, b: Number) -> Number:
    return int(a) | int(b)


def _pow(a: Number, b: Number) -> Number:
    if abs(b) > 64:
        raise OverflowError("a power of shape arithmetic")
    return float(a) ** b if b < 0 else a ** int(b)


FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "Add": _added, "Mul": _multiplied, "Sub": lambda a, b: a - b, "IntDiv": _int_div, "TrueDiv": lambda a, b: a / b, "Mod": _mod,
    "Neg": lambda a: -a, "Abs": abs, "Maximum": max, "Minimum": min, "Switch": _switch, "Cast": lambda a: a, "Identity": lambda a: a,
    "Second": lambda a, b: b, "Clip": lambda a, low, high: max(low, min(a, high)), "LT": lambda a, b: int(a < b),
    "LE": lambda a, b: int(a <= b), "GT": lambda a, b: int(a > b), "GE": lambda a, b: int(a >= b), "EQ": lambda a, b: int(a == b),
    "NEQ": lambda a, b: int(a != b), "AND": _and, "OR": _or, "Sqr": lambda a: a * a, "Sgn": _sign, "Ceil": math.ceil,
    "Floor": math.floor, "Trunc": math.trunc, "Sqrt": math.sqrt, "Pow": _pow,
}  # fmt: skip
"""Canonical name of a scalar Op -> its function."""
ARITY: Mapping[str, int] = {
    **dict.fromkeys(("Sub", "IntDiv", "TrueDiv", "Mod", "Pow", "Second", "LT", "LE", "GT", "GE", "EQ", "NEQ"), 2), "Switch": 3, "Clip": 3,
}  # fmt: skip
"""Number of arguments of scalar Ops that take neither one nor any number of them."""
MONOTONE = frozenset({"Add", "Mul", "Maximum", "Minimum", "Cast", "Identity", "Second"})
"""Scalar Ops that, for numbers >= 0, do not decrease when an argument grows: upper bounds in give an upper bound out."""
_ALIASES = {
    "scalarmaximum": "Maximum", "scalarminimum": "Minimum", "scalar_maximum": "Maximum", "scalar_minimum": "Minimum",
    "true_div": "TrueDiv", "truedivide": "TrueDiv", "true_divide": "TrueDiv",
    "int_div": "IntDiv", "floordivide": "IntDiv", "floor_divide": "IntDiv", "and_": "AND", "bitwise_and": "AND", "or_": "OR",
    "bitwise_or": "OR", "sign": "Sgn", "square": "Sqr", "abs_": "Abs", "le_": "LE",
}  # fmt: skip
_BY_LOWER = {**{name.lower(): name for name in FUNCTIONS}, **_ALIASES}


def canonical(name: str) -> str | None:
    """The name in FUNCTIONS of a scalar Op, however a framework spells it; None for one that is not listed."""
    return _BY_LOWER.get(name.partition("{")[0].lower())


def cast(value: Number, dtype: str | None) -> Number:
    """The number converted to `dtype`; raises OverflowError where it does not fit."""
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
    """The outputs for these inputs; raises LookupError where a node cannot be evaluated."""
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
    """Canonical name of a node's scalar Op; raises LookupError for one that cannot be evaluated."""
    found = canonical(str(node.op.params.get("scalar_op", node.op.name)))
    if found is None:
        raise LookupError(node.op.name)
    return found


def multiplies(graph: FunctionGraph) -> bool:
    """Whether the graph contains a product (or a further inner graph)."""
    return any(n.op.inner is not None or canonical(str(n.op.params.get("scalar_op", n.op.name))) == "Mul" for n in graph.applies)


def has_negative(graph: FunctionGraph) -> bool:
    """Whether the graph contains a negative constant."""
    return any(isinstance(v, Constant) and (number := _number(v)) is not None and number < 0 for v in graph.variables)


def is_monotone(graph: FunctionGraph) -> bool:
    """Whether upper bounds of the inputs (all >= 0) give upper bounds of the outputs."""
    return all(n.op.inner is None and canonical(str(n.op.params.get("scalar_op", n.op.name))) in MONOTONE for n in graph.applies)
