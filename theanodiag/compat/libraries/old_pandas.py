"""Adapts pandas to calls that its releases 1 to 3 reject, or answer in another way without an error.

Source: the notes of pandas 1.0, 2.0 and 3.0, "Removal of prior version deprecations"; pandas 3.0, "Copy-on-Write".
"""

import functools
import re
import sys
import weakref
from types import ModuleType
from typing import Any, Callable, Dict, Iterable, Tuple

import numpy as np

from ..callers import by_a_package
from ..notes import note

CATEGORIES = (
    "add_categories", "as_ordered", "as_unordered", "remove_categories", "remove_unused_categories", "rename_categories",
    "reorder_categories", "set_categories",
)  # fmt: skip
"""Methods of a Categorical that took `inplace` before pandas 2."""

POSITIONS = {
    "drop": "labels axis index columns level inplace errors", "dropna": "axis how thresh subset inplace",
    "drop_duplicates": "subset keep inplace ignore_index", "set_index": "keys drop append inplace verify_integrity",
    "reset_index": "level drop inplace col_level col_fill", "sort_values": "by axis ascending inplace kind na_position",
    "sort_index": "axis level ascending inplace kind na_position", "fillna": "value method axis inplace limit",
    "interpolate": "method axis limit inplace", "replace": "to_replace value inplace limit regex", "clip": "lower upper axis inplace",
    "where": "cond other inplace axis level", "mask": "cond other inplace axis level", "any": "axis bool_only skipna",
    "all": "axis bool_only skipna", "pivot": "index columns values", "to_csv": "path_or_buf sep na_rep float_format columns header index",
    "set_axis": "labels axis",
}  # fmt: skip
"""Method of a DataFrame -> its arguments in their order before pandas 2, in which most can only be given by name."""
OF_SERIES = {
    "drop": "labels axis index columns level inplace errors", "dropna": "axis inplace", "drop_duplicates": "keep inplace",
    "reset_index": "level drop name inplace", "sort_values": "axis ascending inplace kind na_position",
}  # fmt: skip
"""The same for the methods of a Series whose arguments are others."""
IN_PLACE = ("fillna", "replace", "clip", "where", "mask", "interpolate", "ffill", "bfill", "update")
"""Methods of a Series that change it if `inplace=True`; `update` always does."""


def adapt(module: ModuleType) -> None:
    """Accepts what pandas 1 to 3 reject, such as `drop("x", 1)`, `read_csv(file, ";")`, `series[:, None]`, `corr()` of text.

    What a column of a table is set to is in the table, as before pandas 3.
    """
    frames = (module.DataFrame, module.core.groupby.DataFrameGroupBy)
    _names(module)
    for name in ("read_csv", "read_table"):
        setattr(module, name, _separated(getattr(module, name)))
    for kind in frames:
        for name in ("corr", "cov"):
            setattr(kind, name, _of_numbers(getattr(kind, name)))
        for name in ("mean", "median", "std", "var", "sem", "skew"):
            setattr(kind, name, _without_text(getattr(kind, name)))
    if int(module.__version__.partition(".")[0]) >= 3:
        for kind in (module.DataFrame, module.Series):
            kind.values = _writable(kind.values)
        _columns_in_tables(module)
        module.options.future.infer_string = False  # type: ignore[attr-defined]  # texts are objects, which any value can replace
    for kind, table in ((module.DataFrame, POSITIONS), (module.Series, {**POSITIONS, **OF_SERIES})):
        for name, order in table.items():
            if hasattr(kind, name):
                setattr(kind, name, _by_name(getattr(kind, name), tuple(order.split())))
    module.concat = _by_name(module.concat, ("objs", "axis", "join", "ignore_index", "keys"))  # type: ignore[attr-defined]
    split = module.Series.str.split
    module.Series.str.split = _by_name(split, ("pat", "n", "expand"))
    module.get_dummies = _numbers(module.get_dummies)  # type: ignore[attr-defined]
    module.Series.str.replace = _patterns(module.Series.str.replace)
    module.set_option = _known_options(module.set_option)  # type: ignore[attr-defined]
    if int(module.__version__.partition(".")[0]) >= 2:
        for kind in (module.Series, module.core.groupby.SeriesGroupBy):
            kind.value_counts = _of_its_name(kind.value_counts)
        _durations(module)
    module.Series.__array_ufunc__ = _outer(module.Series.__array_ufunc__)
    for name in CATEGORIES:
        setattr(module.Categorical, name, _in_place(getattr(module.Categorical, name)))
    _items(module)


def _names(module: ModuleType) -> None:
    """Gives back the names that pandas 1 and 2 removed."""
    for kind in (module.DataFrame, module.Series):
        gone = {"as_matrix": kind.to_numpy, "iteritems": kind.items, "append": functools.partialmethod(_appended, module.concat)}
        gone["from_csv"] = classmethod(functools.partial(_from_csv, module.read_csv))
        gone["mad"] = _deviation
        if kind is module.Series:
            gone["ravel"] = lambda self, order="C": self.to_numpy().ravel(order)
        for name, method in gone.items():
            if not hasattr(kind, name):
                setattr(kind, name, method)
    for name, value in (("np", np), ("datetime", __import__("datetime").datetime)):
        if not hasattr(module, name):
            setattr(module, name, value)


def _from_csv(read: Callable[..., Any], cls: Any, path: Any, header: Any = 0, sep: str = ",", index_col: Any = 0, **kwargs: Any) -> Any:
    """A table, or the first column of a file without a header as a Series, with dates as its index (pandas 0.25)."""
    kwargs.setdefault("parse_dates", True)
    if cls.__name__ == "Series":
        table = read(path, header=None if header == 0 else header, sep=sep, index_col=index_col, **kwargs)
        series = table.iloc[:, 0]
        series.name = series.index.name = None
        return series
    return read(path, header=header, sep=sep, index_col=index_col, **kwargs)


def _deviation(self: Any, axis: int = 0, skipna: bool = True) -> Any:
    """The mean absolute deviation around the mean (pandas 1.5)."""
    if self.ndim == 1:
        return (self - self.mean(skipna=skipna)).abs().mean(skipna=skipna)
    return self.sub(self.mean(axis=axis, skipna=skipna), axis=1 - axis).abs().mean(axis=axis, skipna=skipna)


def _by_name(plain: Callable[..., Any], order: Tuple[str, ...]) -> Callable[..., Any]:
    """Passes the arguments of a call by the names that they had by their order; a function without `method` is called as its value says."""
    by_class = order[0] == "objs"

    @functools.wraps(plain)
    def called(*args: Any, **kwargs: Any) -> Any:
        own = args[:0] if by_class else args[:1]
        rest = args[len(own) :]
        if len(rest) > 1 or (rest and order[0] in ("axis", "level", "index")):
            kwargs = {**dict(zip(order, rest)), **kwargs}
            rest = ()
        way = kwargs.pop("method", None) if "method" in kwargs and plain.__name__ == "fillna" else None
        if way is not None:
            kwargs.pop("value", None)
            plain_way = {"pad": "ffill", "backfill": "bfill"}.get(way, way)
            return getattr(own[0], plain_way)(**kwargs)
        if plain.__name__ == "drop" and not {"columns", "index"}.isdisjoint(kwargs):
            kwargs.pop("axis", None)  # it had no effect then
        return plain(*own, *rest, **kwargs)

    return called


def _numbers(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`get_dummies` gives the numbers 0 and 1, as before pandas 2, instead of False and True."""

    @functools.wraps(plain)
    def made(*args: Any, **kwargs: Any) -> Any:
        if not by_a_package(sys._getframe(1)):
            kwargs.setdefault("dtype", np.uint8)
        return plain(*args, **kwargs)

    return made


def _patterns(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`series.str.replace(pattern, text)` takes a regular expression, as before pandas 2; a single character stands for itself."""

    @functools.wraps(plain)
    def replaced(self: Any, pat: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs = {**dict(zip(("repl", "n", "case", "flags", "regex"), args)), **kwargs}
        if "regex" not in kwargs and not by_a_package(sys._getframe(1)):
            kwargs["regex"] = not isinstance(pat, str) or len(pat) > 1
        return plain(self, pat, **kwargs)

    return replaced


def _known_options(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`set_option("display.mpl_style", "default")`: an option that pandas no longer has (0.20 removed this one) is left alone."""

    @functools.wraps(plain)
    def chosen(*args: Any, **kwargs: Any) -> Any:
        if args[:1] == ("display.mpl_style",):
            return note("pandas.set_option('display.mpl_style', ...) has no effect: write matplotlib.pyplot.style.use")
        return plain(*args, **kwargs)

    return chosen


def _of_its_name(plain: Callable[..., Any]) -> Callable[..., Any]:
    """`series.value_counts()` has the name of the series, and its index none, as before pandas 2 ("count", and the series' name)."""

    @functools.wraps(plain)
    def counted(self: Any, *args: Any, **kwargs: Any) -> Any:
        counts = plain(self, *args, **kwargs)
        if by_a_package(sys._getframe(1)) or counts.ndim != 1:
            return counts
        counts.name = self.obj.name if hasattr(self, "obj") else self.name
        if not hasattr(self, "obj"):
            counts.index.name = None
        return counts

    return counted


FREQUENCIES = {
    "M": "ME", "Q": "QE", "A": "YE", "Y": "YE", "BM": "BME", "BQ": "BQE", "BA": "BYE", "BY": "BYE", "AS": "YS", "BAS": "BYS", "CBM": "CBME",
    "SM": "SME", "H": "h", "BH": "bh", "CBH": "cbh", "T": "min", "S": "s", "L": "ms", "U": "us", "N": "ns",
}  # fmt: skip
"""Frequency before pandas 2.2 -> its name now (notes of 2.2.0, "Deprecate aliases"); 3.0 rejects the old ones."""
_FREQUENCY = re.compile(r"(-?\d*(?:\.\d+)?)([A-Za-z]+)((?:-[A-Z]+)?)")
DAYS = {"Y": 365.2425, "y": 365.2425, "M": 365.2425 / 12}
"""Unit of a Timedelta that pandas 2 rejects -> its mean length in days (pandas 0.25, tslibs/timedeltas.pyx)."""


def _of_now(given: Any, of_period: bool) -> Any:
    """Returns a frequency under its name of now; what is none is returned unchanged. A period's is `Y`, and not `YE`."""
    found = _FREQUENCY.fullmatch(given) if isinstance(given, str) else None
    if found is None or found.group(2) not in FREQUENCIES:
        return given
    name = FREQUENCIES[found.group(2)]
    return found.group(1) + (name.rstrip("E") if of_period else name) + found.group(3)


def _durations(module: ModuleType) -> None:
    """Accepts `resample("M")`, `date_range(..., freq="H")`, `asfreq("Q")` and `Timedelta(1, "Y")`."""

    def renamed(plain: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(plain)
        def called(*args: Any, **kwargs: Any) -> Any:
            try:
                return plain(*args, **kwargs)
            except ValueError:
                for of_period in (False, True):
                    later = [_of_now(arg, of_period) for arg in args], {key: _of_now(value, of_period) for key, value in kwargs.items()}
                    try:
                        return plain(*later[0], **later[1])
                    except ValueError:
                        continue
                raise

        return called

    grouper = module.core.resample.TimeGrouper
    grouper.__init__ = renamed(grouper.__init__)
    for owner, name in ((module.DataFrame, "asfreq"), (module.Series, "asfreq"), (module, "date_range")):
        setattr(owner, name, renamed(getattr(owner, name)))
    plain = module.Timedelta.__new__

    def lasting(cls: Any, *args: Any, **kwargs: Any) -> Any:
        unit = args[1] if len(args) > 1 else kwargs.get("unit")
        return plain(cls, args[0] * DAYS[unit], "D") if args and isinstance(unit, str) and unit in DAYS else plain(cls, *args, **kwargs)

    module.Timedelta.__new__ = lasting


def _columns_in_tables(module: ModuleType) -> None:
    """`table["x"][rows] = 0` and `table["x"].fillna(0, inplace=True)` change the table, as before pandas 3: there the column is a copy."""
    of_table = module.DataFrame.__getitem__

    @functools.wraps(of_table)
    def item(self: Any, key: Any) -> Any:
        found = of_table(self, key)
        if type(found) is module.Series and len(found) == len(self):
            object.__setattr__(found, "_theanodiag_table", (weakref.ref(self), key))
        return found

    module.DataFrame.__getitem__ = item
    module.Series.__setitem__ = _writes(module.Series.__setitem__, lambda series: series)
    for kind in (module.core.indexing._LocationIndexer, module.core.indexing._ScalarAccessIndexer):
        kind.__setitem__ = _writes(kind.__setitem__, lambda indexer: indexer.obj)
    for name in IN_PLACE:
        setattr(module.Series, name, _writes(getattr(module.Series, name), lambda series: series, name != "update"))


def _writes(plain: Callable[..., Any], column: Callable[[Any], Any], optional: bool = False) -> Callable[..., Any]:
    """Wraps a method that changes a column, with `optional` only if it is called with inplace=True; `column` gives it of the object."""

    @functools.wraps(plain)
    def changed(self: Any, *args: Any, **kwargs: Any) -> Any:
        series = column(self)
        table = None if optional and not kwargs.get("inplace") else _table_of(series)
        result = plain(self, *args, **kwargs)
        if table is not None:
            table[0][table[1]] = series
        return result

    return changed


def _table_of(series: Any) -> Any:
    """The table that a Series is a column of, and the column's name; None if they share no memory (any more)."""
    reference, key = getattr(series, "__dict__", {}).get("_theanodiag_table") or (lambda: None, None)
    table = reference()
    if table is None or not table.columns.is_unique or key not in table.columns:
        return None
    held = table._mgr.iget(table.columns.get_loc(key))
    return (table, key) if held.blocks[0].refs is series._mgr.blocks[0].refs else None


def _is_position(series: Any, key: Any) -> bool:
    """Whether a whole number is a position, as before pandas 3: the index has labels of another kind, such as texts or dates."""
    whole = isinstance(key, (int, np.integer)) and not isinstance(key, (bool, np.bool_))
    return whole and series.index.inferred_type not in ("integer", "floating", "mixed-integer", "mixed-integer-float", "boolean")


def _items(module: ModuleType) -> None:
    """`table.loc[i,]`, `series[:, None]`, `series[0]` of an index of texts, `groupby("x")["y", "z"]`."""
    located = module.core.indexing._LocIndexer.__getitem__
    module.core.indexing._LocIndexer.__getitem__ = _of_one(located)
    series = module.Series.__getitem__
    grouped = module.core.groupby.DataFrameGroupBy.__getitem__

    @functools.wraps(series)
    def item(self: Any, key: Any) -> Any:
        if isinstance(key, tuple) and None in key and all(part is None or isinstance(part, slice) for part in key):
            return np.asarray(self)[key]
        return self.iloc[key] if _is_position(self, key) else series(self, key)

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
