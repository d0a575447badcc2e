"""Restores names that newer NumPy, SciPy and CPython removed since 2015, on request (`theanodiag run --fix-numpy`).

Missing names are set. Existing names keep their meaning, except for functions that accept less than before (CHANGED). Changes that no name
can undo remain (NumPy 2's promotion of Python numbers, `np.bool` as a NumPy type). Interpreters with Theano load this file too, from
CPython 3.7 on.
"""

from __future__ import annotations

import collections
import collections.abc
import fractions
import functools
import importlib
import importlib.util
import inspect
import math
import os
import sys
import time
import warnings
from typing import Any, Callable, Iterator, Mapping, NamedTuple


class Removed(NamedTuple):
    """A name that a module lost."""

    module: str
    """Full name of the module, or of a class in one."""
    name: str
    """Name in the module."""
    make: Callable[[], object]
    """Function that creates the object."""
    since: str
    """Release that removed it, whose release notes are the source."""


class Cast(Mapping[object, Callable[[object], Any]]):
    """`numpy.cast`: maps a dtype to a function that converts values to an array of that dtype."""

    def __getitem__(self, dtype: object) -> Callable[[object], Any]:
        import numpy

        wanted: Any = numpy.dtype(dtype)
        return lambda values: numpy.asarray(values).astype(wanted)

    def __iter__(self) -> Iterator[object]:
        import numpy

        return iter(numpy.dtype(code).type for code in numpy.typecodes["All"])

    def __len__(self) -> int:
        return sum(1 for _ in self)


class ArgSpec(NamedTuple):
    """Result of `inspect.getargspec`, which CPython 3.11 removed."""

    args: list[str]
    """Names of the positional arguments."""
    varargs: str | None
    """Name behind `*`, or None."""
    keywords: str | None
    """Name behind `**`, or None."""
    defaults: tuple[object, ...] | None
    """Default values of the last positional arguments, or None."""


def getargspec(function: Callable[..., object]) -> ArgSpec:
    """`inspect.getargspec`: names and defaults of a function's arguments. Raises ValueError if it has keyword-only arguments."""
    spec = inspect.getfullargspec(function)
    if spec.kwonlyargs:
        raise ValueError("Function has keyword-only parameters, use inspect.signature()")
    return ArgSpec(spec.args, spec.varargs, spec.varkw, spec.defaults)


def formatargspec(args: Any, varargs: str | None = None, varkw: str | None = None, defaults: tuple[object, ...] | None = None) -> str:
    """`inspect.formatargspec`: the argument list as text, such as `(a, b=1, *args, **kwargs)`."""
    plain = len(args) - len(defaults or ())
    words = [name if k < plain else f"{name}={(defaults or ())[k - plain]!r}" for k, name in enumerate(args)]
    words += [f"*{varargs}"] if varargs else []
    words += [f"**{varkw}"] if varkw else []
    return f"({', '.join(words)})"


def _numpy(name: str) -> Callable[[], object]:
    """A function that returns the NumPy object now called `name`."""
    return lambda: _dotted("numpy", name)


def _dotted(module: str, path: str) -> object:
    value: Any = importlib.import_module(module)
    for part in path.split("."):
        value = getattr(value, part)
    return value


def _comb(n: Any, k: Any, exact: bool = False) -> object:
    import scipy.special

    return scipy.special.comb(n, k, exact=exact)


def _logsumexp(a: Any, axis: Any = None, b: Any = None, keepdims: bool = False) -> object:
    import scipy.special

    return scipy.special.logsumexp(a, axis=axis, b=b, keepdims=keepdims)


def _median_absolute_deviation(x: Any, axis: Any = 0, center: Any = None, scale: float = 1.4826, nan_policy: str = "propagate") -> object:
    """`scipy.stats.median_absolute_deviation`, which is scaled for a normal distribution by default (SciPy 1.8)."""
    import numpy
    import scipy.stats

    return scipy.stats.median_abs_deviation(x, axis, center or numpy.median, 1 / scale, nan_policy)


_PICTURES = ("bytescale", "fromimage", "imread", "imresize", "imrotate", "imsave", "toimage")
"""The functions of old_images.py."""


def _picture(name: str) -> Callable[[], object]:
    """A function that returns the function `name` of old_images.py; it raises ImportError without Pillow, as SciPy had none then."""

    def make() -> object:
        if importlib.util.find_spec("PIL") is None:
            raise ImportError("Pillow is not installed")
        return getattr(_beside("old_images"), name)

    return make


@functools.lru_cache(maxsize=None)
def _beside(name: str) -> object:
    """The module `name` beside this file, which may have been loaded by its path."""
    spec: Any = importlib.util.spec_from_file_location("_theanodiag_" + name, os.path.join(os.path.dirname(__file__), name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _linux_distribution() -> Callable[..., tuple[str, str, str]]:
    def linux_distribution(*args: Any, **named: Any) -> tuple[str, str, str]:
        """Returns the name, version and code name of the distribution; empty without an os-release file."""
        import platform

        try:
            release = platform.freedesktop_os_release()
        except (OSError, AttributeError):  # CPython before 3.10 reads no os-release
            return "", "", ""
        return release.get("NAME", ""), release.get("VERSION_ID", ""), release.get("VERSION_CODENAME", "")

    return linux_distribution


def _readfp(self: Any, fp: Any, filename: Any = None) -> None:
    """`ConfigParser.readfp`."""
    self.read_file(fp, source=filename)


_BUILT_IN: dict[str, type] = {
    "bool": bool, "int": int, "float": float, "complex": complex, "object": object, "str": str, "long": int, "unicode": str,
}  # fmt: skip
_RENAMED = {  # NumPy 2.0's migration guide, "NumPy namespace" and "NumPy 2.0 Python API removals"
    "float_": "float64", "complex_": "complex128", "cfloat": "complex128", "clongfloat": "clongdouble", "longcomplex": "clongdouble",
    "longfloat": "longdouble", "singlecomplex": "complex64", "string_": "bytes_", "unicode_": "str_", "Inf": "inf", "Infinity": "inf",
    "infty": "inf", "PINF": "inf", "NaN": "nan", "round_": "round", "product": "prod", "cumproduct": "cumprod", "sometrue": "any",
    "alltrue": "all", "row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid", "mat": "asmatrix",
    "object0": "object_", "int0": "intp", "uint0": "uintp", "bool8": "bool_", "str0": "str_", "bytes0": "bytes_",
}  # fmt: skip
_ABSTRACT = (
    "Callable", "Container", "Hashable", "ItemsView", "Iterable", "Iterator", "KeysView", "Mapping", "MappingView", "MutableMapping",
    "MutableSequence", "MutableSet", "Sequence", "Set", "Sized", "ValuesView",
)  # fmt: skip

_SCIPY = {  # scipy/__init__.py of SciPy 1.3: NumPy's functions, and those of numpy.lib.scimath
    **{name: name for name in (
        "arange", "array", "asarray", "corrcoef", "cos", "cov", "diag", "dot", "exp", "eye", "histogram", "linspace", "mean", "median",
        "ones", "percentile", "pi", "sin", "std", "sum", "tan", "var", "where", "zeros",
    )},
    **{name: f"emath.{name}" for name in ("log", "log10", "log2", "power", "sqrt")},
    "randn": "random.randn", "rand": "random.rand",
}  # fmt: skip

_INTEGRALS = {"trapz": "trapezoid", "simps": "simpson", "cumtrapz": "cumulative_trapezoid"}
_WINDOWS = ("blackman", "boxcar", "gaussian", "hamming", "hann", "kaiser", "triang")


def _integral(name: str) -> Callable[[], object]:
    return lambda: _dotted("scipy.integrate", name)


def _itemfreq(a: Any) -> object:
    import numpy

    return numpy.column_stack(numpy.unique(a, return_counts=True))


TABLE: tuple[Removed, ...] = (
    *(Removed("numpy", name, lambda kind=kind: kind, "NumPy 1.24") for name, kind in _BUILT_IN.items()),  # type: ignore[misc]
    *(Removed("numpy", old, _numpy(new), "NumPy 2.0") for old, new in _RENAMED.items()),
    Removed("numpy", "NINF", lambda: -math.inf, "NumPy 2.0"),
    Removed("numpy", "PZERO", lambda: 0.0, "NumPy 2.0"),
    Removed("numpy", "NZERO", lambda: -0.0, "NumPy 2.0"),
    Removed("numpy", "cast", Cast, "NumPy 2.0"),
    Removed("numpy", "asscalar", lambda: lambda a: a.item(), "NumPy 1.23"),
    Removed("numpy", "asfarray", lambda: lambda a, dtype=float: _dotted("numpy", "asarray")(a, dtype=dtype), "NumPy 2.0"),  # type: ignore[operator]
    Removed("numpy", "find_common_type", lambda: lambda a, s: _dotted("numpy", "result_type")(*a, *s), "NumPy 2.0"),  # type: ignore[operator]
    Removed("numpy", "fastCopyAndTranspose", lambda: lambda a: _dotted("numpy", "array")(a).T.copy(), "NumPy 1.24"),  # type: ignore[operator]
    Removed("numpy", "msort", lambda: lambda a: _dotted("numpy", "sort")(a, axis=0), "NumPy 2.0"),  # type: ignore[operator]
    Removed("numpy", "set_string_function", lambda: lambda *a, **k: None, "NumPy 2.0"),
    Removed("inspect", "getargspec", lambda: getargspec, "CPython 3.11"),
    Removed("inspect", "formatargspec", lambda: formatargspec, "CPython 3.11"),
    Removed("platform", "linux_distribution", _linux_distribution, "CPython 3.8"),
    Removed("time", "clock", lambda: time.process_time if sys.platform != "win32" else time.perf_counter, "CPython 3.8"),
    Removed("configparser", "SafeConfigParser", lambda: _dotted("configparser", "ConfigParser"), "CPython 3.12"),
    Removed("configparser.RawConfigParser", "readfp", lambda: _readfp, "CPython 3.12"),
    Removed("threading.Thread", "isAlive", lambda: _dotted("threading", "Thread.is_alive"), "CPython 3.9"),
    Removed("fractions", "gcd", lambda: math.gcd, "CPython 3.9"),
    *(Removed("collections", name, lambda name=name: getattr(collections.abc, name), "CPython 3.10") for name in _ABSTRACT),  # type: ignore[misc]
    *(Removed("scipy.misc", name, lambda make=make: make, "SciPy 1.0") for name, make in (("comb", _comb), ("logsumexp", _logsumexp))),  # type: ignore[misc]
    *(Removed("scipy", old, _numpy(new), "SciPy 1.4, which deprecated it,") for old, new in _SCIPY.items()),
    *(Removed("scipy.misc", name, _picture(name), "SciPy 1.3") for name in _PICTURES),
    Removed("scipy.misc", "factorial", lambda: _dotted("scipy.special", "factorial"), "SciPy 1.0"),
)
"""All removed names, in the order in which they are restored."""
LATER: tuple[Removed, ...] = (
    Removed("scipy.stats", "median_absolute_deviation", lambda: _median_absolute_deviation, "SciPy 1.9"),
    Removed("scipy.stats", "itemfreq", lambda: _itemfreq, "SciPy 1.9"),
    Removed("scipy.stats", "binom_test", lambda: lambda *a, **k: _dotted("scipy.stats", "binomtest")(*a, **k).pvalue, "SciPy 1.12"),  # type: ignore[operator]
    *(Removed("scipy.integrate", old, _integral(new), "SciPy 1.14") for old, new in _INTEGRALS.items()),
    *(Removed("scipy.signal", name, lambda name=name: _dotted("scipy.signal.windows", name), "SciPy 1.13") for name in _WINDOWS),  # type: ignore[misc]
)
"""Removed names of modules that take long to import: they are restored after the import, for ports and scripts of PyMC3."""


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


def _stack(plain: Callable[..., Any]) -> Callable[..., Any]:
    def stack(arrays: Any, **named: Any) -> Any:
        return plain(list(arrays) if isinstance(arrays, Iterator) else arrays, **named)

    return stack


def _array(plain: Callable[..., Any]) -> Callable[..., Any]:
    def array(*args: Any, **named: Any) -> Any:
        try:
            return plain(*args, **named)
        except ValueError as error:
            if "inhomogeneous" not in str(error) or len(args) != 1 or named.get("dtype") is not None:
                raise
            return plain(*args, **{**named, "dtype": object})

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


CHANGED: tuple[Changed, ...] = (
    Changed("random", "sample", _sample, "CPython 3.11: takes no set, and no array"),
    Changed("random.Random", "sample", _sample_of, "CPython 3.11: takes no set, and no array"),
    Changed("random", "shuffle", _shuffle, "CPython 3.11: has no `random`"),
    *(Changed("random", name, _whole, "CPython 3.12: takes no float") for name in ("randint", "randrange")),
    *(Changed("numpy", name, _array, "NumPy 1.24: takes no rows of unequal length") for name in ("array", "asarray", "asanyarray")),
    Changed("numpy", "load", _load, "NumPy 1.16.3: reads no pickles unless it is told to"),
    Changed("numpy", "fromstring", _fromstring, "NumPy 2.3: reads no bytes"),
    Changed("numpy", "linspace", _linspace, "NumPy 1.18: takes no float for a number of points"),
    Changed("numpy", "histogram", _histogram, "NumPy 1.24: has no `normed`"),
    *(Changed("numpy", name, _stack, "NumPy 1.24: takes no generator") for name in ("vstack", "hstack", "dstack", "column_stack")),
)
"""All changed functions, in the order in which they are wrapped."""


def _module(name: str) -> Any:
    """Imports the module `name`, or gives a class in one, with warnings silenced."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outer, _, last = name.rpartition(".")
        return getattr(importlib.import_module(outer), last) if last[:1].isupper() else importlib.import_module(name)


def _has(module: Any, name: str) -> bool:
    """Whether `module` has the name, with warnings silenced: NumPy warns about its deprecated names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hasattr(module, name)


REMOVED_MODULES: Mapping[str, str] = {
    **dict.fromkeys(("asynchat", "asyncore", "distutils", "imp", "smtpd"), "3.12"),
    **dict.fromkeys(
        (
            "aifc", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev",
            "pipes", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
        ),
        "3.13",
    ),
    **dict.fromkeys(("binhex", "formatter", "parser", "symbol"), "3.10"),
    "dummy_threading": "3.9",
    "macpath": "3.8",
}  # fmt: skip
"""Module of the standard library -> release of CPython that removed it (its documents "What's new")."""


class ImpFinder:
    """Finds `imp` for CPython versions without it: old_imp.py in the same folder."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of `imp`; None for other modules."""
        if name != "imp":
            return None
        folder = os.path.dirname(os.path.abspath(__file__))
        return importlib.util.spec_from_file_location("imp", os.path.join(folder, "old_imp.py"))


def plain_scalars() -> None:
    """Makes `repr` of numpy scalars that of Python numbers, as before NumPy 2: `[1, 2]`, not `[np.int64(1), np.int64(2)]`."""
    import numpy

    if int(numpy.__version__.partition(".")[0]) >= 2:
        numpy.set_printoptions(legacy="1.25")


def give_back(changed: tuple[Changed, ...] = CHANGED) -> tuple[str, ...]:
    """Sets each missing name and wraps each function of `changed`. Returns the dotted names that were set.

    A name is skipped if its module cannot be imported, or if this NumPy lacks its replacement.
    """
    given = []
    for row in TABLE:
        try:
            module = _module(row.module)
            if not _has(module, row.name):
                setattr(module, row.name, row.make())
                given.append(f"{row.module}.{row.name}")
        except (ImportError, AttributeError):
            continue
    for change in changed:
        module = _module(change.module)
        plain = getattr(module, change.name)
        if not hasattr(plain, "given_back"):
            setattr(module, change.name, _method(plain, change) if isinstance(module, type) else Wrapped(plain, change))
            given.append(f"{change.module}.{change.name}")
    if sys.version_info >= (3, 12) and ImpFinder not in sys.meta_path:
        sys.meta_path.append(ImpFinder)  # type: ignore[arg-type]
        given.append("imp")
    plain_scalars()
    return tuple(given)
