"""Theano names on top of PyTensor: what `theanodiag port` imports where PyTensor has no equivalent.

`from theanodiag.legacy.tensor.signal import pool` gives `theano.tensor.signal.pool`, module for module as Theano had them; further names:

- `divide`: the quotient as Python 2 divides; `round`: a number rounded as Python 2 rounds.
- `flags_for_pytensor`: a text of THEANO_FLAGS as one of PYTENSOR_FLAGS.
- `In`, `function`: inputs with a value of their own. `ThunkOp`: the base of Ops that have `make_thunk` and no `perform`.
- `adapters`: functions with the arguments that Theano's took, over PyTensor or Aesara.

Modules and names are loaded when they are first asked for.
"""

import importlib
import importlib.abc
import importlib.util
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Optional, Sequence

_COMPAT = "theanodiag.compat"
_API = _COMPAT + ".api"
_NAMES = {
    "divide": "running.python2_operators",
    "round": "running.python2_operators",
    "flags_for_pytensor": "environment",
    "In": "input_defaults",
    "function": "input_defaults",
    "ThunkOp": "ops.op",
}
"""Name in this module -> the module of compat that defines it."""
_MODULES = {"adapters": _COMPAT + ".adapters"}
"""Name of a module below this one -> where it is, for modules that are not below `compat/api`."""
__path__: Sequence[str] = []  # a package, whose modules `_Finder` finds


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _NAMES:
        return getattr(importlib.import_module(_COMPAT + "." + _NAMES[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    return getattr(_alias("") if _has_names_alone() else importlib.import_module(_API), name)


def _has_names_alone() -> bool:
    """Whether PyTensor is older than 3, which PyMC 5 needs: then names are mapped, and `compat/api` does not work."""
    return not importlib.import_module(_COMPAT + ".framework").current.has_api


def _alias(inside: str) -> ModuleType:
    """The module `theano.<inside>`, whose names are resolved at their first use; they import each other by these names."""
    finder = importlib.import_module(_COMPAT + ".finder")
    if not any(isinstance(other, finder.AliasFinder) for other in sys.meta_path):
        finder.put_in_front({"theano": "pytensor"}, importlib.import_module(_COMPAT + ".install").installed)
    return importlib.import_module("theano." + inside if inside else "theano")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the modules of compat as modules below this one: the same objects, under a second name."""

    def find_spec(self, name: str, path: Any = None, target: Optional[ModuleType] = None) -> Optional[ModuleSpec]:
        """Returns the import specification of a module below this one; None if there is no such module."""
        inside = name[len(__name__) + 1 :]
        if not name.startswith(__name__ + ".") or inside in _NAMES:
            return None
        if inside not in _MODULES and _has_names_alone():
            return ModuleSpec(name, self, is_package=True) if importlib.import_module(_COMPAT + ".modules").has_module(inside) else None
        try:
            there = importlib.util.find_spec(self._real(inside))
        except ModuleNotFoundError:
            return None
        return None if there is None else ModuleSpec(name, self, is_package=there.submodule_search_locations is not None)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the new module in `sys.modules` by compat's module."""
        name = module.__name__
        inside = name[len(__name__) + 1 :]
        there = _alias(inside) if inside not in _MODULES and _has_names_alone() else importlib.import_module(self._real(inside))
        sys.modules[name] = there

    @staticmethod
    def _real(inside: str) -> str:
        return _MODULES.get(inside, _API + "." + inside)


sys.meta_path.insert(0, _Finder())  # before the finder of files, which would load those of compat once more
