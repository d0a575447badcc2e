"""Adapts matplotlib, seaborn, NumPy and SciPy, when they are imported, to calls that their later releases reject; pandas: old_pandas.py."""

import functools
import importlib.util
import inspect
import itertools
import sys
from types import ModuleType
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from ..callers import by_a_package
from ..notes import note
from . import old_pandas, removed_names


class _AfterImport:
    """An import finder that changes one module right after its import."""

    def __init__(self, name: str, change: Callable[[ModuleType], None]) -> None:
        self.name = name
        self.change = change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of the module, with a loader that calls `change` after execution; None for other modules."""
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


def _geometry(module: ModuleType) -> None:
    """`ax.change_geometry(2, 1, 1)`, which matplotlib 3.6 took away, moves the plot to that place of a grid."""

    def change_geometry(self: Any, numrows: int, numcols: int, num: int) -> None:
        from matplotlib.gridspec import SubplotSpec

        self.set_subplotspec(SubplotSpec._from_subplot_args(self.figure, (numrows, numcols, num)))

    if not hasattr(module._AxesBase, "change_geometry"):
        module._AxesBase.change_geometry = change_geometry


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
    if not hasattr(module, "factorplot"):  # until 0.9 the name of catplot, which drew points by default
        module.factorplot = lambda *args, kind="point", **kwargs: module.catplot(*args, kind=kind, **kwargs)  # type: ignore[attr-defined]
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


ARGUMENTS = {"OneHotEncoder": ("sparse", "sparse_output"), "AgglomerativeClustering": ("affinity", "metric")}
"""Class of scikit-learn -> an argument, and its name since 1.2; 1.4 took the earlier name away."""


def _renamed(module: ModuleType) -> None:
    """Accepts the earlier names of `ARGUMENTS`."""
    for name, (old, new) in ARGUMENTS.items():
        kind = getattr(module, name, None)
        if kind is not None and old not in inspect.signature(kind.__init__).parameters:
            kind.__init__ = _by_new_name(kind.__init__, old, new)


def _by_new_name(plain: Callable[..., None], old: str, new: str) -> Callable[..., None]:
    @functools.wraps(plain)  # scikit-learn reads the parameters of the signature
    def made(self: Any, *args: Any, **kwargs: Any) -> None:
        if old in kwargs:
            kwargs[new] = kwargs.pop(old)
        plain(self, *args, **kwargs)

    return made


def _as_pair(plain: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(plain)
    def load(*args: Any, **kwargs: Any) -> Any:
        """Returns the data set; the argument by position is `return_X_y`."""
        return plain(return_X_y=args[0], **kwargs) if len(args) == 1 else plain(*args, **kwargs)

    return load


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
        if "keepdims" not in kwargs and not by_a_package(sys._getframe(1)):
            kwargs["keepdims"] = True
        return plain(*args, **kwargs)

    module.mode = mode  # type: ignore[attr-defined]


def _minima(module: ModuleType) -> None:
    """Accepts `'%f' % fmin(f, 1.0)`: a minimum of one value was a number for NumPy before 2.5."""
    for name in ("fmin", "fmin_bfgs", "fmin_cg", "fmin_powell"):
        setattr(module, name, _single(getattr(module, name)))


def _eigen(module: ModuleType) -> None:
    """`scipy.sparse.linalg.eigen.arpack` and `.lobpcg`, which SciPy 1.8 removed."""
    for name in ("arpack", "lobpcg"):
        sys.modules["scipy.sparse.linalg.eigen." + name] = module


def _values(module: ModuleType) -> None:
    """`dataset.value`, which h5py 3 removed, and `File(name)`, which until h5py 3 opened a file for changes if it could, and created it."""
    if hasattr(module.Dataset, "value"):
        return
    module.Dataset.value = property(lambda self: self[()])
    plain = module.File.__init__

    @functools.wraps(plain)
    def made(self: Any, name: Any, mode: Any = None, *args: Any, **kwargs: Any) -> None:
        modes = (mode or "r",) if mode is not None or by_a_package(sys._getframe(1)) else ("r+", "r", "w-")
        for one in modes[:-1]:
            try:
                return plain(self, name, one, *args, **kwargs)  # type: ignore[no-any-return]
            except OSError:
                continue
        return plain(self, name, modes[-1], *args, **kwargs)  # type: ignore[no-any-return]

    module.File.__init__ = made


def _removed(module: ModuleType) -> None:
    for row in removed_names.LATER:
        if row.module == module.__name__ and not hasattr(module, row.name):
            setattr(module, row.name, row.make())


_followed = []  # type: List[bool]


def follow() -> None:
    """Adapts the libraries to old calls, each after its import. `np.load` is unchanged and still rejects pickles."""
    if _followed:
        return
    _followed.append(True)
    removed_names.give_back(left_out="load")
    after_import("pandas", old_pandas.adapt)
    after_import("matplotlib.style", _styles)
    after_import("matplotlib.axes._base", _grid)
    after_import("matplotlib.axes._base", _colors)
    after_import("matplotlib.axes._base", _geometry)
    after_import("matplotlib.axes._axes", _hist)
    after_import("matplotlib.axes._axes", _plot)
    after_import("matplotlib.contour", _contours)
    after_import("matplotlib.figure", _savefig)
    after_import("seaborn", _seaborn)
    after_import("IPython.display", _formats)
    after_import("sklearn.datasets", _datasets)
    after_import("sklearn.preprocessing", _renamed)
    after_import("sklearn.cluster", _renamed)
    after_import("scipy.stats._kde", _kde)
    after_import("scipy.optimize", _minima)
    after_import("scipy.stats", _modes)
    after_import("scipy.sparse.linalg", _eigen)
    after_import("h5py", _values)
    for name in {row.module for row in removed_names.LATER}:
        after_import(name, _removed)
