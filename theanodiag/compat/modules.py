"""Alias modules, which resolve each name in `api/`, then in the installed framework according to the table `names`."""

import importlib
import os
import sys
from types import ModuleType
from typing import Dict, List, Optional, Tuple, Type

from . import adapters, framework, names
from .errors import NoCounterpart, NoSuchAttribute, NotUnpickled
from .names import legacy, reasons
from .names.reexports import REEXPORTS

THEANO_VERSION = "1.0.5"
"""`__version__` of an alias of Theano: the release whose API it serves."""
AESARA_VERSION = "2.9.4"
"""The Aesara release whose names are served."""
_API = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api")
_EVERYWHERE = {"np": "numpy", **{name: name for name in ("numpy", "sys", "os", "warnings", "logging", "copy", "hashlib")}}
"""Modules that nearly every module of Theano imports, and that scripts access through it (`T.np`)."""
_NOTHING = object()


class AliasModule(ModuleType):
    """Replaces one module of the missing framework; callable if there is a function with the module's name."""

    def __init__(self, fullname: str) -> None:
        super().__init__(fullname, "Alias of " + framework.current.root)
        self.__theanodiag_alias_of__ = framework.current.root
        if fullname == "theano":
            self.__version__ = THEANO_VERSION

    def __getattr__(self, name: str) -> object:
        root, _, inside = self.__name__.partition(".")
        if name == "__all__":
            return [n for n in dir(self) if not n.startswith("_") and hasattr(self, n)]
        if name.startswith("__") and name.endswith("__"):
            if name == "__file__" and api(inside) is not None:
                return getattr(api(inside), name)
            raise AttributeError(name)
        if inside + "." + name in reasons.ONLY_IN_PICKLES and framework.current.has_api:
            raise missing(NotUnpickled, root, inside + "." + name)
        value = resolve(root, inside + "." + name if inside else name)
        if framework.current.has_api:
            super().__setattr__(name, value)  # so that it is looked up once
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, AliasModule) or not hides(value.__name__.partition(".")[2]):
            super().__setattr__(name, value)  # the import system sets each submodule, also those that a function hides

    def __dir__(self) -> List[str]:
        root, _, name = self.__name__.partition(".")
        names = {n for place in places(name) for n in dir(place)} | legacy.of_last_release(root, name)
        ours = [held for module in _api_files(name) for held in (_served(module), getattr(module, "LAZY", ()))]
        return sorted(names.union(super().__dir__(), *ours))

    def __reduce__(self) -> Tuple[object, ...]:
        return importlib.import_module, (self.__name__,)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Calls the function with the module's name, defined in the module or its parent. Raises TypeError if there is none."""
        root, _, inside = self.__name__.partition(".")
        parent, _, last = inside.rpartition(".")
        function = own(root, inside)
        if function is _NOTHING:
            function = own(root, inside + "." + last)
        if not callable(function):
            function = next((v for v in (getattr(p, last, None) for p in places(parent) + places(inside)) if callable(v)), None)
        if not callable(function):
            raise TypeError("module {!r} is not callable".format(self.__name__))
        return function(*args, **kwargs)


def api(name: str) -> Optional[ModuleType]:
    """Returns the module of `api` for module `name` (without the root) if PyTensor is the replacement; else None."""
    if not framework.current.has_api:
        return None
    full = (__package__ or "") + ".api" + ("." + name if name else "")
    if full in sys.modules:  # a fast path: each look-up of a name comes here
        return sys.modules[full]
    if name and name not in REEXPORTS:
        path = os.path.join(_API, *name.split("."))
        if not (os.path.exists(path + ".py") or os.path.exists(os.path.join(path, "__init__.py"))):
            return None
    with framework.own_ops():
        return importlib.import_module(full)


def _api_files(name: str) -> List[ModuleType]:
    """The files of `api/` for module `name`: its own, and that of the module under which its names are listed."""
    row = names.module(name)
    files = [api(module) for module in ([name, row.names] if row and row.names else [name])]
    return [module for module in files if module is not None]


def _served(module: ModuleType) -> Dict[str, object]:
    """The names that a file of `api/` serves: all except dunders and modules, plus those in its `__all__`."""
    listed = getattr(module, "__all__", ())
    return {n: v for n, v in vars(module).items() if n in listed or not (isinstance(v, ModuleType) or n.startswith("__"))}


def own(root: str, name: str) -> object:
    """Returns the object of `api/` for `name` (dotted, without the root), or _NOTHING.

    A file's `AESARA` holds the differences for `import aesara`; None there means PyTensor's own object.
    """
    parent, _, last = name.rpartition(".")
    for module in _api_files(parent):
        special = getattr(module, "AESARA", {})
        if root == "aesara" and last in special:
            return special[last] if special[last] is not None else _NOTHING
        if last in vars(module) and last in _served(module):
            return vars(module)[last]
        getter = vars(module).get("__getattr__")
        if getter is not None:
            try:
                return getter(last)
            except AttributeError:
                pass
    return _NOTHING


def places(name: str) -> Tuple[ModuleType, ...]:
    """Returns the modules of the installed framework in which the names of module `name` are searched."""
    row = names.module(name)
    where = row.places[framework.current.root] if row else (name,)
    candidates = (framework.current.find(place) for place in where)
    return tuple(place for place in candidates if place is not None)


def hides(name: str) -> bool:
    """Returns whether the attribute `name` is a function although there is also a module of that name."""
    row = names.module(name)
    return row is not None and bool(row.hidden)


def has_module(name: str) -> bool:
    """Returns whether an alias module can be created for module `name`."""
    return bool(_api_files(name)) or bool(places(name))


def missing(kind: Type[NoCounterpart], root: str, name: str) -> NoCounterpart:
    """Returns the error of class `kind` for a name without a counterpart, with the reason and what to write instead."""
    current = framework.current
    row = names.lookup(name, current.root, current.version, root)
    gone = names.removed(name, current.root)
    advice = names.advice(row, current.root) if row else gone.help.replace("{}", current.root) if gone else ""
    if not legacy.known(root, name) and name not in reasons.ONLY_IN_PICKLES and not reasons.of_compiled_code(name):
        if "tests" in name.split("."):
            return kind(
                root + "." + name,
                str(current),
                "unittest_tools and test_rop of {}.tests are".format(root),
                "its own tests are not provided",
            )
        return kind(root + "." + name, str(current), advice, "" if advice else "no release of {} has it".format(root.capitalize()))
    reason = reasons.reason(name)
    return kind(root + "." + name, str(current), advice or (reason.advice if reason else ""), reason.why if reason else "")


def resolve(root: str, name: str) -> object:
    """Returns the object served for `name` (dotted, without the root). Raises NoSuchAttribute if it has no counterpart."""
    current = framework.current
    served = own(root, name)
    if served is not _NOTHING:
        return served
    row = names.lookup(name, current.root, current.version, root)
    if row and row.new.startswith("="):
        return adapters.get(row.new[1:])
    if row and row.new:
        served = _dotted(row.new)
        if served is not None:
            return served
    if (api(name) is not None or names.module(name)) and has_module(name) and not hides(name):
        return importlib.import_module(root + "." + name)
    parent, _, last = name.rpartition(".")
    for place in places(parent):
        value = getattr(place, last, None)
        if value is not None and not isinstance(value, ModuleType):
            return value
    if has_module(name):
        return importlib.import_module(root + "." + name)
    if current.root == "pytensor" and not row:
        if last == root:
            return sys.modules[root]  # `import theano` inside Theano's modules adds it to their names
        if last in _EVERYWHERE:
            return importlib.import_module(_EVERYWHERE[last])
    for other in legacy.origin(root, name):  # a name that the module itself imported
        try:
            return resolve(root, other)
        except NoSuchAttribute:
            pass
    raise missing(NoSuchAttribute, root, name)


def _dotted(new: str) -> Optional[object]:
    """The framework's object with the dotted name `new`, or None if this version has none."""
    parent, _, last = new.rpartition(".")
    module = framework.current.find(parent)
    return getattr(module, last, None) if module is not None else None
