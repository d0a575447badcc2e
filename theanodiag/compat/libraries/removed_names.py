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
import types
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
    "infty": "inf", "PINF": "inf", "NaN": "nan",
    "NAN": "nan", "round_": "round", "product": "prod", "cumproduct": "cumprod", "sometrue": "any",
    "alltrue": "all", "row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid", "mat": "asmatrix",
    "chararray": "char.chararray", "issubsctype": "issubdtype", "rank": "ndim", "typeDict": "sctypeDict",
    "object0": "object_", "int0": "intp", "uint0": "uintp", "bool8": "bool_", "str0": "str_", "bytes0": "bytes_",
}  # fmt: skip
_WARNINGS = ("AxisError", "ComplexWarning", "ModuleDeprecationWarning", "RankWarning", "TooHardError", "VisibleDeprecationWarning")
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


def _sctypes() -> object:
    import numpy

    kinds = {"int": "bhil", "uint": "BHIL", "float": "efdg", "complex": "FDG"}
    others: list[type] = [bool, object, bytes, str, numpy.void]
    return {**{name: [numpy.dtype(code).type for code in codes] for name, codes in kinds.items()}, "others": others}


def _itemfreq(a: Any) -> object:
    import numpy

    return numpy.column_stack(numpy.unique(a, return_counts=True))


TABLE: tuple[Removed, ...] = (
    *(Removed("numpy", name, lambda kind=kind: kind, "NumPy 1.24") for name, kind in _BUILT_IN.items()),  # type: ignore[misc]
    *(Removed("numpy", old, _numpy(new), "NumPy 2.0") for old, new in _RENAMED.items()),
    *(Removed("numpy", name, _numpy(f"exceptions.{name}"), "NumPy 2.0") for name in _WARNINGS),
    Removed("numpy", "math", lambda: math, "NumPy 1.25"),
    Removed("numpy", "alen", lambda: lambda a: len(_dotted("numpy", "atleast_1d")(a)), "NumPy 1.23"),  # type: ignore[operator]
    Removed("numpy", "sctypes", _sctypes, "NumPy 2.0"),
    Removed("numpy.lib", "pad", _numpy("pad"), "NumPy 2.0"),
    Removed("numpy.linalg", "linalg", lambda: importlib.import_module("numpy.linalg"), "NumPy 2.5"),
    Removed("numpy.fft", "helper", lambda: importlib.import_module("numpy.fft"), "NumPy 2.5"),
    Removed("numpy.testing", "rand", _numpy("random.rand"), "NumPy 1.20"),
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


def plain_scalars() -> None:
    """Makes `repr` of numpy scalars that of Python numbers, as before NumPy 2: `[1, 2]`, not `[np.int64(1), np.int64(2)]`."""
    import numpy

    if int(numpy.__version__.partition(".")[0]) >= 2:
        numpy.set_printoptions(legacy="1.25")


def give_back(left_out: str = "") -> tuple[str, ...]:
    """Sets each missing name, and wraps each changed function but `left_out`. Returns the dotted names that were set.

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
    functions: Any = _beside("changed_functions")
    for change in functions.CHANGED:
        if change.name != left_out and functions.wrap(_module(change.module), change):
            given.append(f"{change.module}.{change.name}")
    modules: Any = _beside("removed_modules")
    if modules.OldModules not in sys.meta_path:
        sys.meta_path.append(modules.OldModules)
        given += ["imp"] if sys.version_info >= (3, 12) else []
    plain_scalars()
    return tuple(given)
