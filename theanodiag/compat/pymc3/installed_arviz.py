"""The ArviZ that is installed: its functions as they are without us, and which arguments each of them takes."""

import inspect
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional

from .reasons import note

_OLD = {"varnames": "var_names", "credible_interval": "hdi_prob", "alpha_level": "hdi_prob", "start": None, "transform": None}
_INTERVALS = ("hdi_prob", "ci_prob", "prob")
_OF_COLLECTIONS = ("figure_kwargs", "aes", "cols", "rows", "col_wrap")
"""Arguments of every plot of ArviZ 1, behind its `**pc_kwargs`."""
PLAIN: Dict[str, Callable[..., Any]] = {}
"""Function of ArviZ as it is installed, for those that are replaced."""
REPLACED: List[str] = []
"""Names that ArviZ has from here."""


def arviz() -> ModuleType:
    """The ArviZ that is installed, with the names and arguments of 0.3 to 0.23."""
    import arviz

    return arviz


def function_named(name: str) -> Optional[Callable[..., Any]]:
    """The function of the ArviZ that is installed; None where it has none."""
    module = arviz()
    return PLAIN.get(name) if name in REPLACED else getattr(module, name, None)


def is_one() -> bool:
    """Whether ArviZ is 1.0 or newer."""
    return not arviz().__version__.startswith("0.")


def taken(function: Callable[..., Any], given: Dict[str, Any], name: str) -> Dict[str, Any]:
    """The arguments that the function has; what it does not have is told, and left out."""
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
    """What the function of the ArviZ that is installed answers. Raises NotImplementedError where it has none."""
    function = function_named(name)
    if function is None:
        raise NotImplementedError("{}: the ArviZ that is installed has none".format(name))
    return function(data, **taken(function, given, name))
