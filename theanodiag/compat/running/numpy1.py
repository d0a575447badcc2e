"""Sources written for NumPy 1, where the NumPy that is installed computes something else, or nothing.

Until NumPy 1.26 an array kept its dtype beside a scalar of the same kind, and a scalar of NumPy beside a Python number became float64 or
int64. Since NumPy 2 the dtype of NumPy's scalars counts (NEP 50): `numpy.sqrt(2.0) * weights`, which was float32, is float64, and so is the
shared variable made of it; `numpy.uint8(200) + 100` is 44; and a Python number that the dtype cannot hold is an error. Until NumPy 2.4 an
array of one number was a number in `float(x)`, `"%f" % x` and `row[0] = x`. Until NumPy 1.19 a field `("start", numpy.int64, 1)` was a
number; since then it is an array of one. Until NumPy 1.24 arrays whose shapes do not fit were not equal; since then `==` of them is an
error.
"""

import ast
import copy
import functools
import operator
import sys
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from .. import supported_releases
from . import numpy1_functions

_FUNCTIONS = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "pow": operator.pow, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod,
}  # fmt: skip
_IN_PLACE: Dict[str, Any] = {
    "add": operator.iadd, "sub": operator.isub, "mul": operator.imul, "pow": operator.ipow, "truediv": operator.itruediv,
    "floordiv": operator.ifloordiv, "mod": operator.imod,
}  # fmt: skip
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Pow: "pow", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
}  # fmt: skip
_ORDERS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 2}
"""Kind of a dtype -> its category; NumPy 1 compared the categories first."""
_OF_TWO = frozenset((
    "add", "arctan2", "clip", "divide", "divmod", "equal", "floor_divide", "fmax", "fmin", "fmod", "greater", "greater_equal", "hypot",
    "less", "less_equal", "logaddexp", "maximum", "minimum", "mod", "multiply", "not_equal", "power", "remainder", "subtract",
    "true_divide", "where",
))  # fmt: skip
"""NumPy's functions of two values or more, whose result has a dtype as that of an operator has."""
_OF_ONE = frozenset(("float", "int", "long", "complex", "sqrt", "log", "log10", "exp", "floor", "ceil", "isnan", "isinf", "sum"))
"""Names of functions (Python's types, and functions of `math`) that took an array of one number; and `sum`, which adds to 0."""


@functools.lru_cache(maxsize=None)
def is_newer() -> bool:
    """Returns whether NumPy 2 or later is installed; does not import it."""
    return supported_releases.installed_release("numpy") >= (2,)


class AsNumpy1(ast.NodeTransformer):
    """Replaces arithmetic, and calls of NumPy's functions, by calls of the functions below, whose names `prefix` begins; shortens
    `(name, type, 1)` in dtypes."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.lists: Set[str] = set()

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """A source; finds the names that are lists somewhere in it."""
        for part in ast.walk(node):
            if isinstance(part, ast.Assign) and _makes_list(part.value):
                self.lists.update(target.id for target in part.targets if isinstance(target, ast.Name))
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Replaces `a[i]`, in which i is a list."""
        self.generic_visit(node)
        index: Any = node.slice
        holder: Any = _read_again(node.value)
        if holder is not None and (_makes_list(index) or (isinstance(index, ast.Name) and index.id in self.lists)):
            node.slice = self._call("index", [index, holder], index)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visits a function; one that numba compiles must stay as it is."""
        if any("jit" in ast.dump(decorator) or "vectorize" in ast.dump(decorator) for decorator in node.decorator_list):
            return node
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replaces `a * b`, unless one side is text; of text, `"%f" % a`."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        sides = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
        if name is None or len(sides) == 2:
            return node
        if any(isinstance(value, (str, bytes)) for value in sides):
            return self._call("formatted", [node.left, node.right], node) if name == "mod" and isinstance(node.left, ast.Constant) else node
        return self._call("promoted", [ast.Constant(name), node.left, node.right], node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Replaces `a < b`, unless one side is a number that every dtype of floats holds, or text; and `a < b < c`, if b or c is a name."""
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        names = [_ORDERS.get(type(op), "") for op in node.ops]
        if not all(names) or all(_is_exact(a) or _is_exact(b) for a, b in zip(sides, sides[1:])):
            return node
        if len(names) == 1:
            return self._call("compared", [ast.Constant(names[0]), *sides], node)
        if not all(_read_again(side) for side in sides[1:-1]):
            two = len(names) == 2 and _read_again(sides[2])
            return self._call("compared_twice", [*map(ast.Constant, names), *sides], node) if two else node
        again: List[Any] = [*map(_read_again, sides[1:-1]), sides[-1]]
        whole = ast.BoolOp(ast.And(), [self._call("compared", [ast.Constant(name), a, b], node) for name, a, b in zip(names, sides, again)])
        return ast.fix_missing_locations(ast.copy_location(whole, node))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Replaces `a += b`, unless b is text."""
        self.generic_visit(node)
        name = _OPERATORS.get(type(node.op))
        if name is None or (isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes))):
            return node
        return assigned(node, self.prefix, lambda read: self._call("augmented", [ast.Constant(name), read, node.value], node))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Replaces `a[i] = b`, in which b may be an array of one number, or a number that the dtype cannot hold."""
        self.generic_visit(node)
        target: Any = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Subscript) and not _always_fits(node.value):
            holder = _read_again(target.value)
            if holder is not None:
                node.value = self._call("storable", [node.value, holder], node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replaces `numpy.add(a, b)`, `float(a)` and `a.tostring()`; makes the fields of length 1 of `numpy.dtype([...])` and `dtype=[...]`
        numbers."""
        self.generic_visit(node)
        method = isinstance(node.func, ast.Attribute)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for given in [*(node.args if name == "dtype" else ()), *(k.value for k in node.keywords if k.arg == "dtype")]:
            for field in given.elts if isinstance(given, ast.List) else ():
                if isinstance(field, ast.Tuple) and len(field.elts) == 3 and _is_one(field.elts[2]):
                    del field.elts[2]
        changed = method and (name in _OF_TWO and len(node.args) > 1 or name in numpy1_functions.NAMES)
        if changed or (name == "divmod" and len(node.args) == 2) or (name in _OF_ONE and len(node.args) == 1):
            node.func = self._call("numpy1", [node.func], node.func)
        elif method and name in _METHODS:
            node.func = self._call("old_method", [node.func.value, ast.Constant(name)], node.func)  # type: ignore[attr-defined]
        return node

    def _call(self, function: str, arguments: List[ast.expr], where: ast.AST) -> ast.Call:
        call = ast.Call(ast.Name(self.prefix + function, ast.Load()), arguments, [])
        return ast.fix_missing_locations(ast.copy_location(call, where))


def assigned(node: ast.AugAssign, prefix: str, value: Callable[[ast.expr], ast.expr]) -> List[ast.stmt]:
    """Returns statements that do what `a op= b` does, with the value that `value` makes of the expression of `a`.

    What `a` is an attribute or an element of, and the index, are evaluated once; `prefix` begins the names that hold them.
    """
    target: Any = node.target
    before: List[ast.stmt] = []
    if not isinstance(target, ast.Name):
        parts: Dict[str, ast.expr] = {"value": target.value}
        if isinstance(target, ast.Subscript):
            parts["slice"] = _index(target.slice)
        for part, expression in parts.items():
            if _read_again(expression) is None:
                held = prefix + part
                before.append(ast.Assign([ast.Name(held, ast.Store())], expression))
                expression = ast.Name(held, ast.Load())
            before_3_9 = part == "slice" and sys.version_info < (3, 9)
            setattr(target, part, ast.Index(expression) if before_3_9 else expression)
    whole = ast.Assign([target], value(_loaded(target)))
    return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in [*before, whole]]


def _loaded(target: Any) -> ast.expr:
    """The expression that reads what `target` sets."""
    read = copy.deepcopy(target)
    read.ctx = ast.Load()
    return read  # type: ignore[no-any-return]


def _read_again(node: Any) -> Optional[ast.expr]:
    """A copy of an expression that can be evaluated twice: a name, a constant, or an attribute of a name; None for others."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) or isinstance(node, (ast.Name, ast.Constant)):
        return copy.deepcopy(node)
    return None


def _index(where: Any) -> ast.expr:
    """The index expression of a subscript as a value: `1:2` becomes `slice(1, 2)`."""
    if type(where).__name__ == "Index":  # CPython 3.8
        return _index(where.value)
    if type(where).__name__ == "ExtSlice":
        return ast.copy_location(ast.Tuple([_index(part) for part in where.dims], ast.Load()), where.dims[0])
    if isinstance(where, ast.Slice):
        parts: List[ast.expr] = [part if part is not None else ast.Constant(None) for part in (where.lower, where.upper, where.step)]
        return ast.fix_missing_locations(ast.copy_location(ast.Call(ast.Name("slice", ast.Load()), parts, []), where))
    if isinstance(where, ast.Tuple):
        return ast.copy_location(ast.Tuple([_index(part) for part in where.elts], ast.Load()), where)
    value: ast.expr = where
    return value


def _makes_list(node: ast.expr) -> bool:
    """Whether an expression certainly makes a list: `[a, b]`, `[a] * n`, `list(a)`."""
    if isinstance(node, ast.BinOp):
        return _makes_list(node.left) or (isinstance(node.op, ast.Mult) and _makes_list(node.right))
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "list"
    return isinstance(node, (ast.List, ast.ListComp))


def _is_exact(node: ast.expr) -> bool:
    """Whether an expression is text, None, or a number that is the same in every dtype of floats, so that no comparison rounds it."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return _is_exact(node.operand)
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    return not isinstance(value, (int, float, complex)) or isinstance(value, (int, float)) and abs(value) <= 2048 and value * 256 % 1 == 0


def _always_fits(node: ast.expr) -> bool:
    """Whether an expression is a constant that every dtype of NumPy holds or converts as it did."""
    return isinstance(node, ast.Constant) and not (type(node.value) is int and node.value > 127)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def promoted(name: str, left: Any, right: Any) -> Any:
    """`left + right` (`name` is "add") and its kin, with NumPy 1's dtype if one is an array or scalar of NumPy and the other a number."""
    return _FUNCTIONS[name](*_converted(left, right))


def augmented(name: str, left: Any, right: Any) -> Any:
    """The value of `left` after `left += right` (`name` is "add"), computed as by `promoted`."""
    first, second = _converted(left, right)
    if first is left or type(left).__name__ != "ndarray":
        return _IN_PLACE[name](first, second)
    import numpy

    numpy.copyto(left, _FUNCTIONS[name](first, second), casting="same_kind")
    return left


def compared(name: str, left: Any, right: Any) -> Any:
    """`left == right` (`name` is "eq") and its kin, in the dtype in which NumPy 1 compared them; False if the shapes do not fit."""
    compare = getattr(operator, name)
    if type(left).__module__ != "numpy" and type(right).__module__ != "numpy":
        return compare(left, right)
    kinds = {getattr(getattr(side, "dtype", None), "kind", "f" if type(side) is float else "i") for side in (left, right)}
    if kinds <= set(_RANKS) and kinds & {"f", "c"}:
        left, right = _converted(left, right)
    try:
        return compare(left, right)
    except ValueError as error:
        if name in ("eq", "ne") and "broadcast" in str(error):
            return name == "ne"
        raise


def compared_twice(first: str, second: str, left: Any, middle: Any, right: Any) -> Any:
    """`left < middle < right` (`first` and `second` are "lt"), compared as by `compared`."""
    result = compared(first, left, middle)
    return compared(second, middle, right) if result else result


def numpy1(function: Any) -> Any:
    """`function` (`numpy.add`, `numpy.where`, `float`, `math.sqrt`), which takes arguments as in NumPy 1; others stay as they are."""
    kind, module = type(function).__name__, getattr(function, "__module__", None)
    changed = numpy1_functions.of_numpy1(function)
    if changed is not None:
        return changed
    if kind == "ufunc" or (module in ("numpy", "numpy.core.fromnumeric", "numpy._core.fromnumeric") and kind != "type"):
        name = getattr(function, "__name__", "")
        return functools.partial(_of_two, function, name) if name in _OF_TWO else function
    if function is sum:
        return _sum
    if function is divmod:
        return functools.partial(_of_two, function, "divmod")
    if function in (float, int, complex) or module == "math":
        return functools.partial(_of_one, function)
    if kind == "builtin_function_or_method" and function.__name__ == "clip" and type(function.__self__).__name__ == "ndarray":
        return functools.partial(_of_two, _numpy("clip"), "clip", function.__self__)
    return function


def _sum(values: Any, start: Any = 0) -> Any:
    for value in values:
        start = promoted("add", start, value)
    return start


def _of_two(function: Any, name: str, *args: Any, **options: Any) -> Any:
    first = 1 if name == "where" else 0
    if name == "clip":
        bounds = [_converted(args[0], bound)[1] for bound in args[1:3]] if getattr(args[0], "ndim", 0) else args[1:3]
        args = (args[0], *bounds, *args[3:])
    elif len(args) > first + 1 and "dtype" not in options:
        args = (*args[:first], *_converted(args[first], args[first + 1]), *args[first + 2 :])
    return function(*args, **options)


def _of_one(function: Any, value: Any) -> Any:
    return function(value.item() if _single(value) else value)


def _single(value: Any) -> bool:
    """Whether `value` is an array of one number with dimensions."""
    return type(value).__name__ == "ndarray" and value.ndim > 0 and value.size == 1 and value.dtype.kind in _RANKS


def formatted(text: Any, values: Any) -> Any:
    """`text % values`, in which arrays of one number may stand for numbers."""
    try:
        return text % values
    except TypeError:
        several = values if type(values) is tuple else (values,)
        if not any(map(_single, several)):
            raise
        return text % tuple(value.view(_single_kind()) if _single(value) else value for value in several)


@functools.lru_cache(maxsize=None)
def _single_kind() -> Any:
    """The class of arrays of one number that convert to a Python number."""
    import numpy

    conversions: Dict[str, Any] = {"__float__": lambda self: float(self.item()), "__int__": lambda self: int(self.item())}
    return type("ndarray", (numpy.ndarray,), conversions)


def storable(value: Any, holder: Any) -> Any:
    """`value` as `holder[i] = value` takes it, if `holder` is an array of numbers: an array of one number as a number, and integers reduced
    to the range of its dtype."""
    if type(value) in (int, list, tuple) and type(holder).__name__ == "ndarray" and holder.dtype.kind in "iu":
        return numpy1_functions.reduced(value, holder.dtype)
    if _single(value) and type(holder).__name__ == "ndarray" and holder.dtype.kind in _RANKS:
        return value.reshape(())
    return value


def index(where: Any, holder: Any) -> Any:
    """`where` as `holder[where]` takes it: for an array, a list with lists, slices or None in it as a tuple (until NumPy 1.22).

    Source: `unpack_tuple` in numpy/core/src/multiarray/mapping.c of NumPy 1.22.
    """
    if type(where) is not list or type(holder).__name__ != "ndarray" or len(where) > 32:
        return where
    several = any(
        one is None or one is Ellipsis or isinstance(one, (slice, list, tuple)) or hasattr(one, "ndim") and one.ndim for one in where
    )
    return tuple(where) if several else where


_METHODS: Dict[str, Callable[..., Any]] = {
    "tostring": lambda of, *args: of.tobytes(*args),
    "ptp": lambda of, *args, **options: _numpy("ptp")(of, *args, **options),
    "itemset": lambda of, *args: _itemset(of, *args),
    "newbyteorder": lambda of, *args: of.view(of.dtype.newbyteorder(*args)),
}
"""Method of arrays that NumPy 2 removed (`tostring`: NumPy 2.3, and CPython 3.9 from `array.array`) -> a function that does the same."""


def _itemset(of: Any, *args: Any) -> None:
    place = args[0] if len(args) > 1 else 0
    if isinstance(place, tuple):
        of[place] = args[-1]
    else:
        of.flat[place] = args[-1]


def old_method(of: Any, name: str) -> Any:
    """The method `of.name`; for an array without it, what it did."""
    if hasattr(of, name) or not hasattr(of, "tobytes"):
        return getattr(of, name)
    return functools.partial(_METHODS[name], of)


def _numpy(name: str) -> Any:
    import numpy

    return getattr(numpy, name)


def _converted(left: Any, right: Any) -> Tuple[Any, Any]:
    """(`left`, `right`), converted so that NumPy 2 computes in NumPy 1's dtype."""
    ours, theirs = type(left).__module__ == "numpy", type(right).__module__ == "numpy"
    if not (ours or theirs):
        return left, right
    if ours and type(left).__name__ == "ndarray" and left.ndim:
        return _kept(left, right) or (left, right)
    if theirs and type(right).__name__ == "ndarray" and right.ndim:
        return (_kept(right, left) or (right, left))[::-1]
    if ours and theirs:
        return left, right
    return (left, _strong(right)) if ours else (_strong(left), right)


def _strong(number: Any) -> Any:
    """A Python number as the scalar of NumPy that counts beside other scalars, as in NumPy 1; other values as they are."""
    if type(number) not in (int, float, complex):
        return number
    import numpy

    scalar = numpy.asarray(number)[()]
    return scalar if isinstance(scalar, numpy.number) else number


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


HELPERS = {f.__name__: f for f in (promoted, augmented, compared, compared_twice, numpy1, formatted, storable, index, old_method)}
"""The functions that changed sources call."""
