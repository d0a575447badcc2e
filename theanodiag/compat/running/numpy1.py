"""Sources written for NumPy 1, where the NumPy that is installed computes something else: results of arithmetic, and fields of a dtype.

Until NumPy 1.26 an array kept its dtype beside a scalar of the same kind. Since NumPy 2 the dtype of NumPy's scalars counts (NEP 50):
`numpy.sqrt(2.0) * weights`, which was float32, is float64, and so is the shared variable made of it; and a Python number that the dtype
cannot hold is an error. Until NumPy 1.19 a field `("start", numpy.int64, 1)` was a number; since then it is an array of one.
"""

import ast
import functools
import operator
from typing import Any, Optional, Tuple

from .. import supported_releases

_FUNCTIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "pow": operator.pow, "truediv": operator.truediv,
    "floordiv": operator.floordiv,
}  # fmt: skip
_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Pow: "pow", ast.Div: "truediv", ast.FloorDiv: "floordiv"}
_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 2}
"""Kind of a dtype -> its category; NumPy 1 compared the categories first."""


@functools.lru_cache(maxsize=None)
def is_newer() -> bool:
    """Returns whether NumPy 2 or later is installed; does not import it."""
    return supported_releases.installed_release("numpy") >= (2,)


class AsNumpy1(ast.NodeTransformer):
    """Replaces arithmetic by calls of the function named `function`, which is `promoted`; shortens `(name, type, 1)` in dtypes."""

    def __init__(self, function: str) -> None:
        self.function = function

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visits a function; one that numba compiles must stay as it is."""
        if any("jit" in ast.dump(decorator) or "vectorize" in ast.dump(decorator) for decorator in node.decorator_list):
            return node
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replaces `a * b`, unless one side is text."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        sides = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
        if name is None or len(sides) == 2 or any(isinstance(value, (str, bytes)) for value in sides):
            return node
        call = ast.Call(ast.Name(self.function, ast.Load()), [ast.Constant(name), node.left, node.right], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Makes the fields of length 1 of `numpy.dtype([...])` and `dtype=[...]` numbers."""
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for given in [*(node.args if name == "dtype" else ()), *(k.value for k in node.keywords if k.arg == "dtype")]:
            for field in given.elts if isinstance(given, ast.List) else ():
                if isinstance(field, ast.Tuple) and len(field.elts) == 3 and _is_one(field.elts[2]):
                    del field.elts[2]
        return node


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def promoted(name: str, left: Any, right: Any) -> Any:
    """`left + right` (`name` is "add") and its kin, with NumPy 1's dtype if one is an array and the other a number."""
    function = _FUNCTIONS[name]
    try:
        result = function(left, right)
    except OverflowError:
        pair = _converted(left, right)
        if pair is None:
            raise
        return function(*pair)
    if type(result).__name__ != "ndarray":
        return result
    pair = _converted(left, right)
    return result if pair is None else function(*pair)


def _converted(left: Any, right: Any) -> Optional[Tuple[Any, Any]]:
    """(`left`, `right`) converted so that NumPy 2 computes in NumPy 1's dtype; None if it does without."""
    if type(left).__name__ == "ndarray" and left.ndim:
        pair = _kept(left, right)
        return pair and (pair[0], pair[1])
    if type(right).__name__ == "ndarray" and right.ndim:
        pair = _kept(right, left)
        return pair and (pair[1], pair[0])
    return None


def _kept(array: Any, number: Any) -> Optional[Tuple[Any, Any]]:
    """(the array, the number), converted; None if nothing has to be.

    Source: numpy.result_type and min_scalar_type of NumPy 1.26: a number counts by its value if its category is not above the array's.
    """
    import numpy

    ours = isinstance(number, numpy.generic) or (type(number) is numpy.ndarray and not number.ndim)
    if not ours and type(number) not in (bool, int, float, complex):
        return None
    kind, own = numpy.asarray(number).dtype.kind, array.dtype
    if kind not in _RANKS or own.kind not in _RANKS or _RANKS[kind] > _RANKS[own.kind]:
        return None
    value = number.item() if ours else number
    least = numpy.min_scalar_type(-value if own.kind == "i" and kind in "ui" and value > 0 else value)
    kept = numpy.result_type(own, least)
    if kept == numpy.result_type(own, number.dtype if ours else number):
        return None
    return (array, value) if kept == numpy.result_type(own, value) else (array.astype(kept), kept.type(value))
