"""Alias modules: each looks its names up in `api/` and in the framework that is installed, by the API table."""

import importlib
import os
import sys
from types import ModuleType
from typing import Dict, List, Optional, Tuple, Type

from . import adapters, framework
from .errors import NoCounterpart, NoSuchAttribute

THEANO_VERSION = "1.0.5"
"""What an alias of Theano says its version is: that of the API it serves."""
AESARA_VERSION = "2.9.4"
"""The Aesara whose names are served."""
_API = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api")
_EVERYWHERE = {"np": "numpy", **{name: name for name in ("numpy", "sys", "os", "warnings", "logging", "copy", "hashlib")}}
"""Modules that nearly all of Theano's modules import, and that scripts read from them (`T.np`)."""
_NOTHING = object()


class AliasModule(ModuleType):
    """Stands for one module of the missing framework; where a function has the same name it can be called as that function."""

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
        value = resolve(root, inside + "." + name if inside else name)
        if framework.current.root == "pytensor":
            super().__setattr__(name, value)  # asked once
        return value

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, AliasModule) or not hides(value.__name__.partition(".")[2]):
            super().__setattr__(name, value)  # the import system sets each submodule, also those that a function hides

    def __dir__(self) -> List[str]:
        root, _, name = self.__name__.partition(".")
        found = {n for place in places(name) for n in dir(place)} | framework.legacy().of_last_release(root, name)
        ours = [names for module in _api_files(name) for names in (_served(module), getattr(module, "LAZY", ()))]
        return sorted(found.union(super().__dir__(), *ours))

    def __reduce__(self) -> Tuple[object, ...]:
        return importlib.import_module, (self.__name__,)

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Calls the function of that name, in this module or beside it."""
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
    """Our own file for module `name`, where PyTensor stands in and there is one."""
    if framework.current.root != "pytensor":
        return None
    full = (__package__ or "") + ".api" + ("." + name if name else "")
    if full in sys.modules:  # asked for at each look-up of a name
        return sys.modules[full]
    path = os.path.join(_API, *name.split(".")) if name else _API
    if not (os.path.exists(path + ".py") or os.path.exists(os.path.join(path, "__init__.py"))):
        return None
    with framework.own_ops():
        return importlib.import_module(full)


def _api_files(name: str) -> List[ModuleType]:
    """The files of `api/` for module `name`: its own, and that of the module under which its names are listed."""
    row = framework.names().module(name)
    files = [api(module) for module in ([name, row.names] if row and row.names else [name])]
    return [module for module in files if module is not None]


def _served(module: ModuleType) -> Dict[str, object]:
    """What a file of `api/` serves: each name in it but dunders and modules, and whatever stands in its `__all__`."""
    listed = getattr(module, "__all__", ())
    return {n: v for n, v in vars(module).items() if n in listed or not (isinstance(v, ModuleType) or n.startswith("__"))}


def own(root: str, name: str) -> object:
    """What `api/` has for `name`, or _NOTHING. `AESARA` in a file: what differs for `import aesara` (None: PyTensor's own)."""
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
    """The modules of the installed framework in which the names of module `name` are looked for."""
    row = framework.names().module(name)
    where = row.places[framework.current.root] if row else (name,)
    found = (framework.current.find(place) for place in where)
    return tuple(place for place in found if place is not None)


def hides(name: str) -> bool:
    """Whether the attribute `name` is no module though there is a module of that name."""
    row = framework.names().module(name)
    return row is not None and bool(row.hidden)


def has_module(name: str) -> bool:
    """Whether there is anything that module `name` could stand for."""
    return bool(_api_files(name)) or bool(places(name))


def missing(kind: Type[NoCounterpart], root: str, name: str) -> NoCounterpart:
    """The error for a name without a counterpart."""
    table, current = framework.names(), framework.current
    row = table.lookup(name, current.root, current.version, root)
    gone = table.removed(name, current.root)
    advice = table.advice(row, current.root) if row else gone.help.replace("{}", current.root) if gone else ""
    if not framework.legacy().known(root, name):
        return kind(root + "." + name, str(current), advice, "" if advice else "no release of {} has it".format(root.capitalize()))
    reason = framework.reasons().reason(name)
    return kind(root + "." + name, str(current), advice or (reason.advice if reason else ""), reason.why if reason else "")


def resolve(root: str, name: str) -> object:
    """What `name` (dotted, without the root) stands for; raises NoSuchAttribute where it has no counterpart."""
    current = framework.current
    found = own(root, name)
    if found is not _NOTHING:
        return found
    row = framework.names().lookup(name, current.root, current.version, root)
    if row and row.new.startswith("="):
        return adapters.get(row.new[1:])
    if row and row.new:
        found = _dotted(row.new)
        if found is not None:
            return found
    if (api(name) is not None or framework.names().module(name)) and has_module(name) and not hides(name):
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
            return sys.modules[root]  # `import theano` inside Theano's modules makes it a name of theirs
        if last in _EVERYWHERE:
            return importlib.import_module(_EVERYWHERE[last])
    for other in framework.legacy().origin(root, name):  # what the module imported for itself
        try:
            return resolve(root, other)
        except NoSuchAttribute:
            pass
    raise missing(NoSuchAttribute, root, name)


def _dotted(new: str) -> Optional[object]:
    """The framework's object `new`, or None where this version has none."""
    parent, _, last = new.rpartition(".")
    module = framework.current.find(parent)
    return getattr(module, last, None) if module is not None else None
