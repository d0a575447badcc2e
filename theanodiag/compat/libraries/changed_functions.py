"""Functions of NumPy and CPython that accept less than they did, and how `theanodiag run --fix-numpy` makes them accept it."""

from __future__ import annotations

import collections.abc
import functools
import types
from typing import Any, Callable, Iterator, NamedTuple


class Changed(NamedTuple):
    """A function that accepts fewer arguments or types than its older versions did."""

    module: str
    """Full name of the module."""
    name: str
    """Name in the module."""
    wrap: Callable[[Callable[..., Any]], Callable[..., Any]]
    """Function that converts the current function to the earlier one."""
    since: str
    """Release that changed it, and what it no longer accepts."""


class Wrapped:
    """A wrapped function that is equal to the function it replaces, so that compilers (numba) and tables of functions find it as that
    function.

    Like NumPy's functions, it supports no weak references: numba handles functions that do in another way.
    """

    __slots__ = ("__dict__", "call", "given_back", "plain")

    def __init__(self, plain: Callable[..., Any], change: Changed) -> None:
        functools.update_wrapper(self, plain)
        self.plain, self.call, self.given_back = plain, change.wrap(plain), change.since

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        return other is self or other is self.plain

    def __hash__(self) -> int:
        return hash(self.plain)

    def __repr__(self) -> str:
        return repr(self.plain)

    def __reduce__(self) -> str:
        return str(self.plain.__name__)


def _method(plain: Callable[..., Any], change: Changed) -> Callable[..., Any]:
    """A wrapped method: a function, which Python binds to its object."""
    method: Any = functools.update_wrapper(change.wrap(plain), plain)
    method.given_back = change.since
    return method  # type: ignore[no-any-return]


def wrap(module: Any, change: Changed) -> bool:
    """Wraps the function `change.name` of a module or a class; returns False if it is wrapped already."""
    plain = getattr(module, change.name)
    if hasattr(plain, "given_back"):
        return False
    setattr(module, change.name, _method(plain, change) if isinstance(module, type) else Wrapped(plain, change))
    return True


def _load(plain: Callable[..., Any]) -> Callable[..., Any]:
    def load(file: Any, mmap_mode: Any = None, allow_pickle: bool = True, fix_imports: bool = True, encoding: str = "latin1") -> Any:
        return plain(file, mmap_mode, allow_pickle, fix_imports, encoding)

    return load


def _fromstring(plain: Callable[..., Any]) -> Callable[..., Any]:
    def fromstring(string: Any, dtype: Any = float, count: int = -1, sep: str = "") -> Any:
        if sep:
            return plain(string, dtype, count, sep)
        import numpy

        return numpy.frombuffer(string.encode("latin1") if isinstance(string, str) else string, dtype, count).copy()

    return fromstring


def _linspace(plain: Callable[..., Any]) -> Callable[..., Any]:
    def linspace(start: Any, stop: Any, num: Any = 50, *args: Any, **named: Any) -> Any:
        return plain(start, stop, int(num), *args, **named)

    return linspace


def _histogram(plain: Callable[..., Any]) -> Callable[..., Any]:
    def histogram(a: Any, bins: Any = 10, *args: Any, normed: bool = False, **named: Any) -> Any:
        counts, edges = plain(a, bins, *args, **named)
        if normed and named.get("density") is None:  # not a density if the widths of the bins differ (numpy/lib/histograms.py, NumPy 1.23)
            counts = counts / (counts * (edges[1:] - edges[:-1])).sum()
        return counts, edges

    return histogram


def _histogram2d(plain: Callable[..., Any]) -> Callable[..., Any]:
    def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, normed: Any = None, weights: Any = None, density: Any = None) -> Any:
        return plain(x, y, bins, range, density=normed if density is None else density, weights=weights)

    return histogram2d


def _percentile(plain: Callable[..., Any]) -> Callable[..., Any]:
    def percentile(*args: Any, **named: Any) -> Any:
        if "interpolation" in named:
            named["method"] = named.pop("interpolation")
        return plain(*args, **named)

    return percentile


def _issubdtype(plain: Callable[..., Any]) -> Callable[..., Any]:
    def issubdtype(arg1: Any, arg2: Any) -> Any:
        import numpy

        general = {"float": numpy.floating, "int": numpy.signedinteger, "complex": numpy.complexfloating}
        return plain(arg1, general.get(arg2 if isinstance(arg2, str) else getattr(arg2, "__name__", ""), arg2))

    return issubdtype


def _sum(plain: Callable[..., Any]) -> Callable[..., Any]:
    def total(a: Any, *args: Any, **named: Any) -> Any:
        return sum(a) if isinstance(a, types.GeneratorType) else plain(a, *args, **named)

    return total


def _transform(plain: Callable[..., Any]) -> Callable[..., Any]:
    def transform(a: Any, *args: Any, **named: Any) -> Any:
        import numpy

        values = numpy.asarray(a)
        wide = {"e": float, "f": float, "F": complex}.get(values.dtype.char)
        return plain(values if wide is None else values.astype(wide), *args, **named)

    return transform


def _stack(plain: Callable[..., Any]) -> Callable[..., Any]:
    def stack(arrays: Any, **named: Any) -> Any:
        return plain(list(arrays) if isinstance(arrays, Iterator) else arrays, **named)

    return stack


def _array(plain: Callable[..., Any]) -> Callable[..., Any]:
    def array(*args: Any, **named: Any) -> Any:
        if named.get("copy") is False:
            named["copy"] = None
        try:
            return plain(*args, **named)
        except ValueError as error:
            if "inhomogeneous" not in str(error):
                raise
            if len(args) == 1 and named.get("dtype") is None:
                return plain(*args, **{**named, "dtype": object})
            return plain([one.item() if getattr(one, "size", 0) == 1 else one for one in args[0]], *args[1:], **named)

    return array


def _sample(plain: Callable[..., Any]) -> Callable[..., Any]:
    def sample(population: Any, k: int, **named: Any) -> Any:
        return plain(population if isinstance(population, collections.abc.Sequence) else tuple(population), k, **named)

    return sample


def _sample_of(plain: Callable[..., Any]) -> Callable[..., Any]:
    def sample(self: Any, population: Any, k: int, **named: Any) -> Any:
        return _sample(functools.partial(plain, self))(population, k, **named)

    return sample


def _whole(plain: Callable[..., Any]) -> Callable[..., Any]:
    def whole(*bounds: Any, **named: Any) -> Any:
        return plain(*(int(bound) if isinstance(bound, float) and bound.is_integer() else bound for bound in bounds), **named)

    return whole


def _shuffle(plain: Callable[..., Any]) -> Callable[..., Any]:
    def shuffle(x: Any, random: Callable[[], float] | None = None) -> None:
        if random is None:
            plain(x)
            return
        for i in reversed(range(1, len(x))):
            j = int(random() * (i + 1))
            x[i], x[j] = x[j], x[i]

    return shuffle


_TRANSFORMS = (
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft", "ihfft",
)  # fmt: skip
CHANGED: tuple[Changed, ...] = (
    Changed("random", "sample", _sample, "CPython 3.11: takes no set, and no array"),
    Changed("random.Random", "sample", _sample_of, "CPython 3.11: takes no set, and no array"),
    Changed("random", "shuffle", _shuffle, "CPython 3.11: has no `random`"),
    *(Changed("random", name, _whole, "CPython 3.12: takes no float") for name in ("randint", "randrange")),
    *(
        Changed("numpy", name, _array, "NumPy 1.24: takes no rows of unequal length; 2.0: no `copy=False`")
        for name in ("array", "asarray", "asanyarray")
    ),
    Changed("numpy", "load", _load, "NumPy 1.16.3: reads no pickles unless it is told to"),
    Changed("numpy", "fromstring", _fromstring, "NumPy 2.3: reads no bytes"),
    Changed("numpy", "linspace", _linspace, "NumPy 1.18: takes no float for a number of points"),
    Changed("numpy", "histogram", _histogram, "NumPy 1.24: has no `normed`"),
    Changed("numpy", "histogram2d", _histogram2d, "NumPy 1.24: has no `normed`"),
    Changed("numpy", "percentile", _percentile, "NumPy 2.4: has no `interpolation`"),
    Changed("numpy", "issubdtype", _issubdtype, "NumPy 1.20: float32 is no subtype of `float`"),
    Changed("numpy", "sum", _sum, "NumPy 2.4: takes no generator"),
    *(Changed("numpy.fft", name, _transform, "NumPy 2.0: keeps float32") for name in _TRANSFORMS),
    *(Changed("numpy", name, _stack, "NumPy 1.24: takes no generator") for name in ("vstack", "hstack", "dstack", "column_stack")),
)
"""All changed functions, in the order in which they are wrapped."""
