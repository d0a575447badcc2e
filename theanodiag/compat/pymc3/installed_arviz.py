"""The installed ArviZ: its unmodified functions, and the arguments that each of them accepts."""

import contextlib
import inspect
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ..notes import note
from .trace import as_inference_data

_OLD = {
    "varnames": "var_names",
    "kde_plot": None,
    "credible_interval": "hdi_prob",
    "alpha_level": "hdi_prob",
    "start": None,
    "transform": None,
}
_INTERVALS = ("hdi_prob", "ci_prob", "prob")
_OF_COLLECTIONS = ("figure_kwargs", "aes", "cols", "rows", "col_wrap")
"""Arguments that every plot of ArviZ 1 accepts through its `**pc_kwargs`."""
PLAIN: Dict[str, Callable[..., Any]] = {}
"""Name -> the unmodified function of ArviZ, for each replaced function."""
REPLACED: List[str] = []
"""Names in ArviZ that this layer replaced."""


def arviz() -> ModuleType:
    """Returns the installed ArviZ, to which the names and arguments of 0.3 to 0.23 were added."""
    import arviz

    return arviz


def function_named(name: str) -> Optional[Callable[..., Any]]:
    """Returns the unmodified function of the installed ArviZ; None if it has none."""
    module = arviz()
    return PLAIN.get(name) if name in REPLACED else getattr(module, name, None)


def is_one() -> bool:
    """Returns whether ArviZ is 1.0 or newer."""
    return not arviz().__version__.startswith("0.")


def readable(data: Any) -> Any:
    """Converts a trace, or arrays by name, to an object that ArviZ reads. Arrays have the axes (draw, ...) or (chain, draw, ...)."""
    data = as_inference_data(data)
    if is_one() and isinstance(data, dict) and not any(isinstance(value, dict) for value in data.values()):
        arrays = {str(name): np.asarray(values) for name, values in data.items()}
        return arviz().from_dict({"posterior": {n: v[None] if v.ndim == 1 else v for n, v in arrays.items()}})
    return data


def taken(function: Callable[..., Any], given: Dict[str, Any], name: str) -> Dict[str, Any]:
    """Returns the arguments that the function accepts. Other arguments are dropped, with a message."""
    parameters = inspect.signature(function).parameters
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    collections = "plot_collection" in parameters or "plot_matrix" in parameters
    out: Dict[str, Any] = {}
    for key, value in given.items():
        new = _OLD.get(key, key)
        if new in _INTERVALS and new not in parameters:
            new = next((interval for interval in _INTERVALS if interval in parameters), new)
        if new is not None and (new in parameters or (anything and (new in _OF_COLLECTIONS or not collections) and key not in _OLD)):
            out[new] = value
        else:
            note("{}({}=...) has no effect: the ArviZ that is installed does not take it".format(name, key))
    return out


def called(name: str, data: Any, given: Dict[str, Any]) -> Any:
    """Calls the function `name` of the installed ArviZ. Raises NotImplementedError if it has none."""
    function = function_named(name)
    if function is None:
        raise NotImplementedError("{}: the ArviZ that is installed has none".format(name))
    return function(data, **taken(function, given, name))


def as_many_panels() -> Any:
    """Context manager that lets ArviZ draw any number of panels: ArviZ 1 refuses more than 40, of which others drew the first ones."""
    return arviz().rc_context({"plot.max_subplots": None}) if is_one() else contextlib.nullcontext()


def by_rows(axes: np.ndarray) -> np.ndarray:
    """Returns the axes of a figure as a matrix, by their rows and columns; None if there are none."""
    places = [ax.get_subplotspec() for ax in axes]
    if len(axes) < 2 or any(place is None for place in places):
        return axes
    cells = [(place.rowspan.start, place.colspan.start) for place in places]
    grid = np.full((1 + max(row for row, _ in cells), 1 + max(column for _, column in cells)), None, dtype=object)
    for ax, cell in zip(axes, cells):
        grid[cell] = ax
    return grid
