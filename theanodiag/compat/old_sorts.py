"""The order in which NumPy's sorts leave equal numbers, until NumPy 1.24.

Since NumPy 1.25, `numpy.argsort` of 32-bit and 64-bit numbers uses the vector instructions of x86 processors, and equal numbers come in
another order; so do `numpy.argpartition` and `numpy.partition`, which leave more than equal numbers in no order. A script that sorts its
sentences by length makes other minibatches of them. NumPy has no vector instructions for long double, and sorts it as it sorted all dtypes.
"""

from typing import Any


def placed(function: Any, name: str, a: Any, *args: Any, **named: Any) -> Any:
    """`numpy.argsort(a, ...)` (`function` and its `name`), or one of its kin, with equal numbers in their old order."""
    import numpy

    values = numpy.asanyarray(a)
    exact = numpy.finfo(numpy.longdouble).nmant >= 63 or values.dtype.kind == "f" or values.dtype.itemsize < 8
    if values.dtype.kind not in "iuf" or values.dtype.itemsize > 8 or not exact or not _unstable(name, args, named):
        return function(a, *args, **named)
    found = function(values.astype(numpy.longdouble), *args, **named)
    return found if name != "partition" else found.astype(values.dtype)


def _unstable(name: str, args: Any, named: Any) -> bool:
    """Whether the arguments after the array ask for NumPy's usual algorithm (quicksort, introselect)."""
    kind = args[1] if name == "argsort" and len(args) > 1 else named.get("kind")
    return kind in (None, "quicksort", "introselect") and not named.get("stable")
