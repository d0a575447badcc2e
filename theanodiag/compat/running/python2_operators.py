"""What Python 2's operators and methods did, where Python 3's do otherwise: translated sources call these functions instead."""

import codecs
import collections
import decimal
import functools
import math
import numbers
import operator
from typing import Any, Dict, Iterator, Optional, Set, Tuple

from . import numpy1, python2_bytes, python2_names
from .generators import ended, report_end


def _whole(value: object) -> bool:
    """Whether `value`, a number, an array or a symbolic Variable, holds integers or booleans."""
    if isinstance(value, int):
        return True
    dtype = getattr(value, "dtype", None)
    return dtype is not None and str(dtype).startswith(("int", "uint", "bool"))


def divide(left: Any, right: Any) -> Any:
    """`left / right` as in Python 2: rounded down if both are integers."""
    return numpy1.promoted("floordiv" if _whole(left) and _whole(right) else "truediv", left, right)


def divide_in_place(left: Any, right: Any) -> Any:
    """Returns the value of `left` after `left /= right` as in Python 2."""
    return numpy1.augmented("floordiv" if _whole(left) and _whole(right) else "truediv", left, right)


def round(number: Any, ndigits: int = 0) -> float:
    """Python 2's `round`: a float; halves are rounded away from 0."""
    value = float(number)
    if not math.isfinite(value):
        return value
    unit = decimal.Decimal(1).scaleb(-ndigits)
    with decimal.localcontext() as context:
        context.prec = 800
        return float(decimal.Decimal(value).quantize(unit, rounding=decimal.ROUND_HALF_UP)) if ndigits <= 400 else value


def _ordering(cmp: Any = None, key: Any = None, reverse: Any = False) -> Dict[str, Any]:
    """Keyword arguments of Python 3's `sort` for the arguments of Python 2's."""
    if cmp is not None:
        compared, old_key = functools.cmp_to_key(cmp), key
        key = compared if old_key is None else lambda item: compared(old_key(item))
    return {"key": key, "reverse": reverse}


def sort_method(holder: Any, *args: Any, **options: Any) -> Any:
    """`holder.sort(*args)` as in Python 2, where lists accept `cmp`; other objects (numpy, an array, a module) use their own `sort`."""
    if holder is list:
        return sort_method(*args, **options)
    if isinstance(holder, list) and type(holder).sort is list.sort:
        return holder.sort(**_ordering(*args, **options))
    return holder.sort(*args, **options)


def sort_function(function: Any, *args: Any, **options: Any) -> Any:
    """`sorted(*args)` as in Python 2; another function of that name is called with its own arguments."""
    return sorted(args[0], **_ordering(*args[1:], **options)) if function is sorted and args else function(*args, **options)


def next_method(of: Any) -> Any:
    """Python 2's `of.next()`; the next element of an iterator without such a method."""
    return of.next() if hasattr(of, "next") else next(of)


def decode_method(of: Any, *args: Any, **options: Any) -> Any:
    """Python 2's `of.decode(...)`. A text whose characters are bytes is decoded; any other text was already decoded when it was read."""
    if not isinstance(of, str):
        return of.decode(*args, **options)
    try:
        found = codecs.decode(of.encode("latin-1"), *args, **options)
    except UnicodeError:
        return of
    return found if isinstance(found, str) else found.decode("latin-1")


def walk(holder: Any, view: str) -> Any:
    """`holder.items()` or another `view` to iterate over; entries of an OrderedDict may be deleted and added meanwhile, as in Python 2."""
    return _walk_ordered(holder, view) if type(holder) is collections.OrderedDict else getattr(holder, view)()


def _walk_ordered(holder: Any, view: str) -> Iterator[Any]:
    met: Set[Any] = set()
    waiting = list(holder)
    while waiting:
        for key in waiting:
            met.add(key)
            if key in holder:
                yield key if view == "keys" else holder[key] if view == "values" else (key, holder[key])
        waiting = [key for key in list(holder) if key not in met] if len(holder) > 0 else []


def python2_isinstance(value: Any, kinds: Any) -> bool:
    """Returns what `isinstance` returned in Python 2, where NumPy's int64 is an `int` (on systems whose C `long` has 64 bits)."""
    if isinstance(value, kinds) or (type(value) is python2_bytes.Bytes and _names(str, kinds)):
        return True
    return type(value).__name__ == "int64" and type(value).__module__ == "numpy" and _names(int, kinds)


def _names(wanted: type, kinds: Any) -> bool:
    return kinds is wanted or (isinstance(kinds, tuple) and any(_names(wanted, kind) for kind in kinds))


def cmp(x: Any, y: Any) -> int:
    """Python 2's `cmp`: -1, 0 or 1."""
    return bool(x > y) - bool(x < y)


def _rank(value: object) -> Optional[Tuple[int, str]]:
    """Where Python 2 orders `value` among objects of other types: None, then numbers, then the others by the name of the type."""
    if value is None or isinstance(value, numbers.Real):
        return int(value is not None), ""
    return (2, type(value).__name__) if type(value) in (dict, list, str, tuple) else None


def order(name: str, left: Any, right: Any) -> Any:
    """Compares as in Python 2, where objects of different types have an order: `left < right` if `name` is "lt", and so on."""
    try:
        return numpy1.compared(name, left, right) if numpy1.is_newer() else getattr(operator, name)(left, right)
    except TypeError:
        ranks = _rank(left), _rank(right)
        if None in ranks or (ranks[0] == ranks[1] and left is not right):
            raise
        return getattr(operator, name)(*ranks)


HELPERS = {
    **{
        f.__name__: f
        for f in (divide, divide_in_place, sort_method, sort_function, next_method, decode_method, order, ended, report_end, walk)
    },
    **numpy1.HELPERS,
    **python2_bytes.HELPERS,
    **python2_names.HELPERS,
}
