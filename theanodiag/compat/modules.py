"""Alias modules: each looks its names up in the framework that is installed, by the API table."""

import importlib
from types import ModuleType
from typing import List, Optional, Tuple, Type

from . import counterparts
from . import target as targets
from .errors import NoCounterpart, NoSuchAttribute

THEANO_VERSION = "1.0.5"
"""What an alias of Theano says its version is: that of the API it serves."""


class AliasModule(ModuleType):
    """Stands for one module of the missing framework."""

    def __init__(self, fullname: str) -> None:
        super().__init__(fullname, "Alias of " + targets.current.root)
        self.__theanodiag_alias_of__ = targets.current.root
        if fullname == "theano":
            self.__version__ = THEANO_VERSION

    def __getattr__(self, name: str) -> object:
        if name == "__all__":
            return [n for n in dir(self) if not n.startswith("_") and hasattr(self, n)]
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        root, _, inside = self.__name__.partition(".")
        return resolve(root, inside + "." + name if inside else name)

    def __setattr__(self, name: str, value: object) -> None:
        if not isinstance(value, AliasModule) or not _hidden(value.__name__.partition(".")[2]):
            super().__setattr__(name, value)  # the import system sets each submodule, also those that a function hides

    def __dir__(self) -> List[str]:
        found = {n for place in places(self.__name__.partition(".")[2]) for n in dir(place)}
        return sorted(found | set(super().__dir__()))


def places(name: str) -> Tuple[ModuleType, ...]:
    """The modules of the installed framework in which the names of module `name` are looked for."""
    row = targets.names().module(name)
    where = row.places[targets.current.root] if row else (name,)
    found = (targets.current.find(place) for place in where)
    return tuple(place for place in found if place is not None)


def _hidden(name: str) -> bool:
    """Whether the attribute `name` is a function though there is a module of that name."""
    row = targets.names().module(name)
    return row is not None and bool(row.hidden)


def has_module(name: str) -> bool:
    """Whether there is anything that module `name` could stand for."""
    return bool(places(name))


def missing(kind: Type[NoCounterpart], root: str, name: str) -> NoCounterpart:
    """The error for a name without a counterpart."""
    table, current = targets.names(), targets.current
    row = table.lookup(name, current.root, current.version, root)
    gone = table.removed(name, current.root)
    advice = table.advice(row, current.root) if row else gone.help.replace("{}", current.root) if gone else ""
    return kind(root + "." + name, str(current), advice)


def resolve(root: str, name: str) -> object:
    """What `name` (dotted, without the root) stands for; raises NoSuchAttribute where it has no counterpart."""
    current = targets.current
    row = targets.names().lookup(name, current.root, current.version, root)
    if row and row.new.startswith("="):
        return counterparts.get(row.new[1:])
    if row and row.new:
        found = _dotted(row.new)
        if found is not None:
            return found
    if targets.names().module(name) and has_module(name) and not _hidden(name):
        return importlib.import_module(root + "." + name)
    parent, _, last = name.rpartition(".")
    for place in places(parent):
        value = getattr(place, last, None)
        if value is not None and not isinstance(value, ModuleType):
            return value
    if has_module(name):
        return importlib.import_module(root + "." + name)
    raise missing(NoSuchAttribute, root, name)


def _dotted(new: str) -> Optional[object]:
    """The framework's object `new`, or None where this version has none."""
    parent, _, last = new.rpartition(".")
    module = targets.current.find(parent)
    return getattr(module, last, None) if module is not None else None
