"""Adapts matplotlib, seaborn, pandas, NumPy and SciPy, when they are imported, to calls that their later releases reject."""

import functools
import importlib.util
import inspect
import itertools
import sys
from types import ModuleType
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ..notes import note
from . import removed_names


class _AfterImport:
    """An import finder that changes one module right after its import."""

    def __init__(self, name: str, change: Callable[[ModuleType], None]) -> None:
        self.name = name
        self.change = change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of the module, with a loader that calls `change` after execution; None for other modules."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            execute = loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                self.change(module)

            loader.exec_module = executed
        return spec


def after_import(name: str, change: Callable[[ModuleType], None]) -> None:
    """Calls `change` with the module `name`: immediately if it is imported, else after its import."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _AfterImport(name, change))  # type: ignore[arg-type]


def _styles(module: ModuleType) -> None:
    """Accepts `seaborn-darkgrid`, which matplotlib 3.6 renamed to `seaborn-v0_8-darkgrid` and 3.8 removed."""
    plain = module.use

    def today(style: Any) -> Any:
        later = style.replace("seaborn", "seaborn-v0_8", 1) if isinstance(style, str) and style not in module.library else style
        return later if isinstance(later, str) and later in module.library else style

    @functools.wraps(plain)
    def use(style: Any) -> None:
        plain([today(one) for one in style] if isinstance(style, (list, tuple)) else today(style))

    module.use = use  # type: ignore[attr-defined]


def _grid(module: ModuleType) -> None:
    """Accepts `grid(b=True)`, which is `grid(visible=True)` since matplotlib 3.5; 3.7 removed `b`."""
    plain = module._AxesBase.grid

    @functools.wraps(plain)  # pyplot looks for the class in the method's qualified name
    def grid(self: Any, *args: Any, **kwargs: Any) -> None:
        """Shows or hides the lines of a grid."""
        if "b" in kwargs:
            kwargs["visible"] = kwargs.pop("b")
        plain(self, *args, **kwargs)

    module._AxesBase.grid = grid


def _colors(module: ModuleType) -> None:
    """`next(ax._get_lines.prop_cycler)["color"]`, which matplotlib 3.8 took away, gives the next color of the lines."""
    kind = module._process_plot_var_args
    if not hasattr(kind, "prop_cycler") and hasattr(kind, "get_next_color"):
        kind.prop_cycler = property(lambda self: ({"color": self.get_next_color()} for _ in itertools.count()))


def _hist(module: ModuleType) -> None:
    """Accepts `hist(normed=True)`, which is `hist(density=True)` since matplotlib 2.1; 3.1 removed `normed`."""
    plain = module.Axes.hist

    @functools.wraps(plain)
    def hist(self: Any, *args: Any, **kwargs: Any) -> Any:
        if "normed" in kwargs:
            kwargs["density"] = kwargs.pop("normed")
        return plain(self, *args, **kwargs)

    module.Axes.hist = hist


def _plot(module: ModuleType) -> None:
    """Accepts `plot([0, 0], [density, 0.3])` with a density that is an array of one value; NumPy rejects such lists since 1.24."""
    plain = module.Axes.plot

    @functools.wraps(plain)
    def plot(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Draws lines or points."""
        return plain(self, *map(_plain_numbers, args), **kwargs)

    module.Axes.plot = plot


def _plain_numbers(values: Any) -> Any:
    if not isinstance(values, list) or not any(isinstance(one, _Single) for one in values):
        return values
    return [one.item() if isinstance(one, np.ndarray) and one.size == 1 else one for one in values]


def _contours(module: ModuleType) -> None:
    """`contour(...).collections`, which matplotlib 3.10 took away, is a list of the contours themselves: they are one artist since 3.8."""
    if not hasattr(module.ContourSet, "collections"):
        module.ContourSet.collections = property(lambda self: [self])


def _savefig(module: ModuleType) -> None:
    """Ignores `savefig(figsize=...)`, which had no effect and is rejected since matplotlib 3.5."""
    plain = module.Figure.savefig

    @functools.wraps(plain)
    def savefig(self: Any, *args: Any, figsize: Any = None, **kwargs: Any) -> Any:
        return plain(self, *args, **kwargs)

    module.Figure.savefig = savefig


SEABORN = (
    "barplot", "boxenplot", "boxplot", "catplot", "countplot", "histplot", "jointplot", "kdeplot", "lineplot", "lmplot", "pointplot",
    "regplot", "relplot", "residplot", "scatterplot", "stripplot", "swarmplot", "violinplot",
)  # fmt: skip
"""Functions of seaborn that accepted positional x and y before 0.12; since then only `data` is positional."""


SIZED = ("catplot", "jointplot", "lmplot", "pairplot")
"""Functions of seaborn whose `size` is `height` since 0.9."""
GRIDS = ("FacetGrid", "JointGrid", "PairGrid")
"""Classes of seaborn whose `size` is `height` since 0.9."""


def _high(plain: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(plain)
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        if "size" in kwargs:
            kwargs["height"] = kwargs.pop("size")
        plain(self, *args, **kwargs)

    return made


def _by_name(args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments of a call by name: `(x, y)`, `(x, y, data)` or `(x, y, hue, data)`; `(x)` with `data=`."""
    names = ["x", "y", "data" if len(args) == 3 and hasattr(args[2], "columns") else "hue", "data"]
    return dict(zip(names, args), **kwargs)


def _positions(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def called(*args: Any, **kwargs: Any) -> Any:
        if "stat_func" in kwargs:
            del kwargs["stat_func"]
            note("{}(stat_func=...) has no effect: the seaborn that is installed does not take it".format(plain.__name__))
        if "size" in kwargs and plain.__name__ in SIZED:
            kwargs["height"] = kwargs.pop("size")
        if len(args) > 1 or (args and "data" in kwargs):
            return plain(**_by_name(args, kwargs))
        return plain(*args, **kwargs)

    return called


def _seaborn(module: ModuleType) -> None:
    for name in {*SEABORN, *SIZED}:
        if hasattr(module, name):
            setattr(module, name, _positions(getattr(module, name)))
    for name in GRIDS:
        kind = getattr(module, name)
        kind.__init__ = _high(kind.__init__)


def _formats(module: ModuleType) -> None:
    """`set_matplotlib_formats("retina")`, which IPython 9 removed, sets the format of inline figures."""

    def set_matplotlib_formats(*formats: str, **kwargs: Any) -> None:
        try:
            from matplotlib_inline import backend_inline  # type: ignore[import-not-found]
        except ImportError:
            note("set_matplotlib_formats(...) has no effect: the package matplotlib-inline is not installed")
        else:
            backend_inline.set_matplotlib_formats(*formats, **kwargs)

    if not hasattr(module, "set_matplotlib_formats"):
        module.set_matplotlib_formats = set_matplotlib_formats  # type: ignore[attr-defined]


DATASETS = ("breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine")
"""Data sets of scikit-learn; `load_iris(True)` is `load_iris(return_X_y=True)` since 0.25."""


def _datasets(module: ModuleType) -> None:
    for name in DATASETS:
        plain = getattr(module, "load_" + name, None)
        if plain is not None:
            setattr(module, "load_" + name, _as_pair(plain))


def _as_pair(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def load(*args: Any, **kwargs: Any) -> Any:
        """The data set; the argument by position is `return_X_y`."""
        return plain(return_X_y=args[0], **kwargs) if len(args) == 1 else plain(*args, **kwargs)

    return load


CATEGORIES = (
    "add_categories", "as_ordered", "as_unordered", "remove_categories", "remove_unused_categories", "rename_categories",
    "reorder_categories", "set_categories",
)  # fmt: skip
"""Methods of a Categorical that took `inplace` before pandas 2."""


def _pandas(module: ModuleType) -> None:
    """Accepts what pandas 1 to 3 reject: `as_matrix()`, `read_csv(file, ";")`, `series[:, None]`, `groupby("x")["y", "z"]`, `corr()` of
    text."""
    for kind in (module.DataFrame, module.Series):
        gone = {"as_matrix": kind.to_numpy, "iteritems": kind.items, "append": functools.partialmethod(_appended, module.concat)}
        if kind is module.Series:
            gone["ravel"] = lambda self, order="C": self.to_numpy().ravel(order)
        for name, method in gone.items():
            if not hasattr(kind, name):
                setattr(kind, name, method)
    for name in ("read_csv", "read_table"):
        setattr(module, name, _separated(getattr(module, name)))

    for kind in (module.DataFrame, module.core.groupby.DataFrameGroupBy):
        for name in ("corr", "cov"):
            setattr(kind, name, _of_numbers(getattr(kind, name)))
        for name in ("mean", "median", "std", "var", "sem", "skew"):
            setattr(kind, name, _without_text(getattr(kind, name)))

    if int(module.__version__.partition(".")[0]) >= 3:
        for kind in (module.DataFrame, module.Series):
            kind.values = _writable(kind.values)
    module.Series.__array_ufunc__ = _outer(module.Series.__array_ufunc__)
    for name in CATEGORIES:
        setattr(module.Categorical, name, _in_place(getattr(module.Categorical, name)))

    located = module.core.indexing._LocIndexer.__getitem__
    module.core.indexing._LocIndexer.__getitem__ = _of_one(located)
    series = module.Series.__getitem__
    grouped = module.core.groupby.DataFrameGroupBy.__getitem__

    @functools.wraps(series)
    def item(self: Any, key: Any) -> Any:
        if isinstance(key, tuple) and None in key and all(part is None or isinstance(part, slice) for part in key):
            return np.asarray(self)[key]
        return series(self, key)

    @functools.wraps(grouped)
    def columns(self: Any, key: Any) -> Any:
        return grouped(self, list(key) if isinstance(key, tuple) and len(key) > 1 else key)

    module.Series.__getitem__ = item
    module.core.groupby.DataFrameGroupBy.__getitem__ = columns


def _of_one(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`table.loc[i,]` of a table, which pandas 3.1 rejects: a row."""

    @functools.wraps(plain)
    def item(self: Any, key: Any) -> Any:
        one = isinstance(key, tuple) and len(key) == 1 and self.obj.index.nlevels == 1
        return plain(self, key[0] if one else key)

    return item


def _writable(plain: property) -> property:
    """`values` that can be changed in place, as before pandas 3: the change is in the table, too."""

    def values(self: Any) -> Any:
        found = plain.__get__(self)
        return _unlocked(self, found) if isinstance(found, np.ndarray) and not found.flags.writeable else found

    return property(values, doc=plain.__doc__)


def _unlocked(held: Any, values: np.ndarray) -> np.ndarray:
    """The array, writable unless another table shares its memory until one of both changes (copy on write, pandas 3), or it is a file's."""
    blocks = [reference() for block in held._mgr.blocks for reference in block.refs.referenced_blocks]
    if sum(1 for block in blocks if block is not None and block.ndim == 2) > 1:
        return values
    view = values.view()
    try:
        view.flags.writeable = True
    except ValueError:
        return values
    return view


def _outer(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Accepts `np.greater_equal.outer(series, x)`, which gives an array; pandas rejects it since 1.2."""

    @functools.wraps(plain)
    def computed(self: Any, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "outer":
            return ufunc.outer(*(np.asarray(one) if isinstance(one, type(self)) else one for one in inputs), **kwargs)
        return plain(self, ufunc, method, *inputs, **kwargs)

    return computed


def _separated(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def read(*args: Any, **kwargs: Any) -> Any:
        return plain(args[0], sep=args[1], **kwargs) if len(args) == 2 else plain(*args, **kwargs)

    return read


def _appended(
    self: Any, concatenated: Callable[..., Any], other: Any, ignore_index: bool = False, verify_integrity: bool = False, sort: bool = False
) -> Any:
    """These rows followed by those of another table or a list of tables, or by a dict or named Series as one row (pandas 1.5)."""
    if self.ndim == 2 and isinstance(other, dict):
        other = type(self)([other])
    elif self.ndim == 2 and getattr(other, "ndim", 2) == 1 and hasattr(other, "to_frame"):
        other = other.to_frame().T
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    return concatenated([self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity, sort=sort)


def _in_place(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`df.x.cat.remove_unused_categories(inplace=True)`: changes the column."""

    @functools.wraps(plain)
    def changed(self: Any, *args: Any, inplace: bool = False, **kwargs: Any) -> Any:
        new = plain(self, *args, **kwargs)
        if not inplace:
            return new
        from pandas._libs.arrays import NDArrayBacked

        NDArrayBacked.__init__(self, new._ndarray, new.dtype)
        return None

    return changed


def _of_numbers(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `corr()` and `cov()` so that they ignore text columns, the default before pandas 2."""

    @functools.wraps(plain)
    def computed(self: Any, *args: Any, **kwargs: Any) -> Any:
        return plain(self, *args, **(kwargs if len(args) > 2 else {"numeric_only": True, **kwargs}))

    return computed


def _without_text(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a statistic so that it ignores columns for which it is undefined, as before pandas 2."""

    @functools.wraps(plain)
    def computed(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return plain(self, *args, **kwargs)
        except TypeError:
            if "numeric_only" in kwargs:
                raise
            return plain(self, *args, numeric_only=True, **kwargs)

    return computed


class _Single(np.ndarray):  # type: ignore[type-arg]
    """An array of one number that converts to a Python number."""

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())


def _single(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def found(*args: Any, **kwargs: Any) -> Any:
        result = plain(*args, **kwargs)
        return result.view(_Single) if isinstance(result, np.ndarray) and result.size == 1 else result

    return found


def _kde(module: ModuleType) -> None:
    """Accepts `'%f' % gaussian_kde(x)(0)`: an array of one value as a number, which NumPy deprecated in 1.25 and later rejects."""
    module.gaussian_kde.evaluate = module.gaussian_kde.__call__ = _single(module.gaussian_kde.evaluate)


def _modes(module: ModuleType) -> None:
    """`mode(x).mode[0]`: scripts have the reduced axis kept, which SciPy drops since 1.11 unless `keepdims`; installed packages say so."""
    plain = module.mode
    if "keepdims" not in inspect.signature(plain).parameters:
        return

    @functools.wraps(plain)
    def mode(*args: Any, **kwargs: Any) -> Any:
        if "keepdims" not in kwargs and not _by_a_package(sys._getframe(1)):
            kwargs["keepdims"] = True
        return plain(*args, **kwargs)

    module.mode = mode  # type: ignore[attr-defined]


def _by_a_package(frame: Any) -> bool:
    """Whether code of an installed package calls."""
    return "site-packages" in frame.f_code.co_filename or "dist-packages" in frame.f_code.co_filename


def _minima(module: ModuleType) -> None:
    """Accepts `'%f' % fmin(f, 1.0)`: a minimum of one value was a number for NumPy before 2.5."""
    for name in ("fmin", "fmin_bfgs", "fmin_cg", "fmin_powell"):
        setattr(module, name, _single(getattr(module, name)))


_followed = []  # type: List[bool]


def follow() -> None:
    """Adapts the libraries, each after its import. `np.load` is unchanged and still rejects pickles."""
    if _followed:
        return
    _followed.append(True)
    removed_names.give_back(tuple(change for change in removed_names.CHANGED if change.name != "load"))
    after_import("pandas", _pandas)
    after_import("matplotlib.style", _styles)
    after_import("matplotlib.axes._base", _grid)
    after_import("matplotlib.axes._base", _colors)
    after_import("matplotlib.axes._axes", _hist)
    after_import("matplotlib.axes._axes", _plot)
    after_import("matplotlib.contour", _contours)
    after_import("matplotlib.figure", _savefig)
    after_import("seaborn", _seaborn)
    after_import("IPython.display", _formats)
    after_import("sklearn.datasets", _datasets)
    after_import("scipy.stats._kde", _kde)
    after_import("scipy.optimize", _minima)
    after_import("scipy.stats", _modes)
