"""Functions of NumPy that gave another result until NumPy 1.24: the order of equal numbers, and integers that a dtype cannot hold.

The order is that of `old_sorts`. Since NumPy 2, `numpy.uint8(-1)` and `numpy.array([300], dtype="uint8")` are errors; before, the integer
was reduced modulo 256.
"""

import functools
from typing import Any, Optional

from .. import old_sorts

_SORTING = frozenset(("argsort", "argpartition", "partition"))
_CONVERTING = {"array": 1, "asarray": 1, "full": 2, "full_like": 2}
"""Function that makes an array -> position of its argument `dtype`."""
_INTEGERS = frozenset((
    "byte", "int16", "int32", "int64", "int8", "intc", "intp", "short", "ubyte", "uint", "uint16", "uint32", "uint64", "uint8", "uintc",
    "uintp", "ushort",
))  # fmt: skip
"""Names of NumPy's types of integers."""
NAMES = _SORTING | _INTEGERS | frozenset(_CONVERTING)


def of_numpy1(function: Any) -> Optional[Any]:
    """Returns what does the same as `function` did in NumPy 1; None if that is `function` itself."""
    name = getattr(function, "__name__", "")
    if name not in NAMES:
        return None
    if isinstance(function, type):
        return functools.partial(_integer, function) if name in _INTEGERS and function.__module__ == "numpy" else None
    owner = getattr(function, "__self__", None)
    if type(owner).__name__ == "ndarray":
        return functools.partial(_old_method, owner, name) if name in _SORTING else None
    if (getattr(function, "__module__", None) or "").split(".")[0] != "numpy":
        return None
    return functools.partial(old_sorts.placed if name in _SORTING else _made, function, name)


def reduced(value: Any, dtype: Any) -> Any:
    """The integers of `value`, an int or a list, as the `dtype` of integers makes them: reduced modulo its range; others as they are."""
    import numpy

    try:
        found = numpy.asarray(value)
    except ValueError:
        return value
    if found.dtype.kind not in "iu" or not found.size:
        return value
    limits = numpy.iinfo(dtype)
    return found.astype(dtype)[()] if found.min() < limits.min or found.max() > limits.max else value


def _integer(kind: Any, *args: Any) -> Any:
    """`kind(value)`, in which `kind` is a type of NumPy's integers."""
    try:
        return kind(*args)
    except OverflowError:
        return _cast(args[0], kind)


def _made(function: Any, name: str, *args: Any, **named: Any) -> Any:
    """`numpy.array(values, dtype)` and its kin."""
    try:
        return function(*args, **named)
    except OverflowError:
        where = _CONVERTING[name]
        dtype = args[where] if len(args) > where else named.get("dtype")
        if name == "full_like":
            dtype = args[0].dtype if dtype is None else dtype
        if dtype is None:
            raise
        if name in ("array", "asarray"):
            return _cast(args[0], dtype)
        value = args[1] if len(args) > 1 else named.pop("fill_value")
        return function(args[0], _cast(value, dtype), dtype)


def _cast(value: Any, dtype: Any) -> Any:
    """`value` in `dtype`; raises OverflowError if it has an integer of more than 64 bits, as NumPy 1 did."""
    import numpy

    found = numpy.asarray(value)
    if found.dtype.kind == "O":
        raise OverflowError("Python int too large to convert to C long")
    return found.astype(dtype)[()] if not found.ndim else found.astype(dtype)


def _old_method(owner: Any, name: str, *args: Any, **named: Any) -> Any:
    """The method `owner.argsort` of an array, or one of its kin; `owner.partition` changes the array."""
    import numpy

    found = old_sorts.placed(getattr(numpy, name), name, owner, *args, **named)
    if name != "partition":
        return found
    owner[...] = found
    return None
