"""Columns that the tables of `summary` had in PyMC3 3.0 to 3.6 and ArviZ 0.3 to 0.9, under the names of then."""

import re
from typing import Any, Dict, List, Optional

import numpy as np

from .installed_arviz import function_named
from .results import hpd
from .trace import group_of

RENAMED = {"mc_error": "mcse_mean", "mc error": "mcse_mean", "Rhat": "r_hat", "n_eff": "ess_mean", "eff_n": "ess_mean"}
"""Column of PyMC3's own table, or of ArviZ 0.3 -> its name in ArviZ 0.9."""
_ROW = re.compile(r"(.+)__(\d+(?:_\d+)*)")
_INTERVAL = re.compile(r"h(?:pd|di)[ _](\d+(?:\.\d+)?)%?")


def with_older_columns(table: Any, held: Any, options: Dict[str, Any]) -> Any:
    """Returns the table of the draws `held`, in which a script also finds the columns of earlier releases: `table[["mean", "hpd_2.5"]]`.

    If the format is not a table, it is returned unchanged. `options` are those of `summary`.
    """
    if not hasattr(table, "columns"):
        return table
    import pandas

    def column(name: str) -> Optional[Any]:
        """Returns a column that the table lacks; None if no release had it."""
        later = RENAMED.get(name, name)
        if later in table.columns:
            return table[later]
        interval = _INTERVAL.fullmatch(name)
        if interval is None and later not in ("ess_mean", "ess_sd"):
            return None
        rows = draws_by_row(held, table.index, options)
        if interval is not None:
            values = [_bound(row, float(interval.group(1))) for row in rows]
        else:
            chains = len(group_of(held, options.get("group", "posterior"))["chain"])
            ess = function_named("ess")
            assert ess is not None
            values = [float(ess(row.reshape(chains, -1), method=later[4:])) for row in rows]
        return pandas.Series(values, index=table.index, name=name)

    return _kind(pandas)(table, column)


def row_name(key: Any, index: Any) -> Any:
    """Returns the row `b[0, 1]` for its name `b__0_1` of PyMC3 3.0 to 3.6 (stats.py, `summary`), if the table has no row of that name;
    other keys, and those of a list, likewise."""
    if isinstance(key, list):
        return [row_name(one, index) for one in key]
    older = _ROW.fullmatch(key) if isinstance(key, str) and key not in index else None
    if older is None:
        return key
    later = "{}[{}]".format(older.group(1), older.group(2).replace("_", ", "))
    return next((name for name in (later, later.replace(" ", "")) if name in index), key)


def draws_by_row(held: Any, rows: Any, options: Dict[str, Any]) -> List[np.ndarray]:
    """Returns the draws for each row of a summary, all chains concatenated."""
    posterior = group_of(held, options.get("group", "posterior"))
    known = sorted((str(name) for name in posterior.data_vars), key=len)
    names = dict.fromkeys([name for name in known if str(row) == name or str(row).startswith(name + "[")][-1] for row in map(str, rows))
    scalars = []
    for name in names:
        values = np.asarray(posterior[name].transpose("chain", "draw", ...).values)
        flat = values.reshape(values.shape[0] * values.shape[1], -1)
        scalars += list(flat.T)
    return scalars


def _bound(values: np.ndarray, percent: float) -> float:
    """The lower or upper bound of the highest-density interval that leaves `percent`, or 100 - `percent`, below or above."""
    low, high = hpd(values.reshape(-1), hdi_prob=abs(1 - percent / 50))
    return float(low if percent < 50 else high)


_kinds = {}  # type: Dict[str, Any]


def _kind(pandas: Any) -> Any:
    """The class of the table: pandas, whose class it derives from, is not needed before."""
    if "Summary" in _kinds:
        return _kinds["Summary"]

    class Rows(pandas.core.indexing._LocIndexer):  # type: ignore[misc]
        """`table.loc` and `table["mean"].loc`, where a row can be named as in PyMC3 3.0 to 3.6."""

        def __getitem__(self, key: Any) -> Any:
            row, *rest = key if isinstance(key, tuple) and key else (key,)
            row = row_name(row, self.obj.index)
            return super().__getitem__((row, *rest) if rest else row)

    class Column(pandas.Series):  # type: ignore[misc]
        """A column of the table."""

        loc = property(lambda self: Rows("loc", self))

        @property
        def _constructor(self) -> Any:
            return pandas.Series

        def __getitem__(self, key: Any) -> Any:
            return super().__getitem__(row_name(key, self.index))

    class Summary(pandas.DataFrame):  # type: ignore[misc]
        """A DataFrame that computes the columns of earlier releases when a script accesses them by name."""

        _metadata = ["older"]
        older = None  # type: Any
        loc = property(lambda self: Rows("loc", self))
        _constructor_sliced = Column

        def __init__(self, data: Any = None, older: Any = None, **kwargs: Any) -> None:
            super().__init__(data, **kwargs)
            object.__setattr__(self, "older", older if callable(older) else None)

        @property
        def _constructor(self) -> Any:
            return Summary

        def __getitem__(self, key: Any) -> Any:
            names = [key] if isinstance(key, str) else key if isinstance(key, list) else []
            missing = [n for n in names if isinstance(n, str) and n not in self.columns]
            found = {n: self.older(n) for n in missing} if self.older is not None else {}
            if not found or any(one is None for one in found.values()):
                return super().__getitem__(key)
            whole = super().assign(**{n: one.reindex(self.index) for n, one in found.items()})
            return whole[key]

    _kinds["Summary"] = Summary
    return Summary
