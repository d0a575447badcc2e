"""Import finders for alias modules of missing frameworks, for this layer's own modules, and for `pymc3`."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
from types import ModuleType
from typing import Any, Callable, Dict, Optional, Sequence

from . import framework
from .errors import NoSuchImport
from .modules import AliasModule, has_module, missing
from .names import reexports
from .names.reexports import REEXPORTS


class AliasFinder:
    """Finder and loader of alias modules; `aliases` maps each missing package to the framework that replaces it."""

    def __init__(self, aliases: Dict[str, str], installed: Callable[[str], bool]) -> None:
        self.aliases = aliases
        self.installed = installed

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec of an alias module; None for other packages. Raises NoSuchImport for a module without a counterpart."""
        root, _, name = fullname.partition(".")
        if root not in self.aliases:
            return None
        if not name and self.installed(root):  # the real package has appeared on sys.path
            del self.aliases[root]
            return None
        if not has_module(name):
            raise missing(NoSuchImport, root, name)
        return importlib.machinery.ModuleSpec(fullname, self, origin="alias of " + self.aliases[root], is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Returns an AliasModule, whose names are resolved at their first use."""
        return AliasModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Changes PyTensor's behaviour to Theano's, at the first alias module."""
        if framework.current.has_api:
            from . import behaviour

            behaviour.apply_once(module.__name__.partition(".")[0])


def put_in_front(aliases: Dict[str, str], installed: Callable[[str], bool]) -> None:
    """Installs a finder for `aliases` (missing package -> framework), replacing an earlier one. `installed` reports a real package that
    appears later."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AliasFinder)]
    for root in aliases.values():
        framework.current.root = root
    sys.meta_path.insert(0, AliasFinder(aliases, installed))


class OneLayerFinder:
    """Finder and loader of `theanodiag.compat`, which ported scripts import, under `theanodiag run`, where this layer has another name.

    It gives the modules of the layer that runs: loaded a second time, they would register their rewrites with PyTensor again, which is an
    error, and their types would not be those of the layer's variables.
    """

    name = "theanodiag.compat"

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec of a module of this layer; None for others."""
        if fullname != self.name and not fullname.startswith(self.name + "."):
            return None
        there = importlib.util.find_spec(self._own(fullname))
        if there is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=there.submodule_search_locations is not None)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """None: Python creates an ordinary module, which `exec_module` replaces."""

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the new module in `sys.modules` by the layer's module."""
        sys.modules[module.__name__] = importlib.import_module(self._own(module.__name__))

    def _own(self, fullname: str) -> str:
        return (__package__ or "") + fullname[len(self.name) :]


class ReexportFinder:
    """Finder and loader of the modules inside the package `api` that the table REEXPORTS describes."""

    def __init__(self) -> None:
        self.layer = __package__ or ""
        self.prefix = self.layer + ".api."

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec of a module in the table; None for others. A module with submodules is a package, whose folder may contain their
        files.
        """
        name = fullname[len(self.prefix) :]
        if not fullname.startswith(self.prefix) or name not in REEXPORTS:
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=reexports.__file__)  # type: ignore[arg-type]
        folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "api", *name.split("."))
        if os.path.isdir(folder) or any(other.startswith(name + ".") for other in REEXPORTS):
            spec.submodule_search_locations = [folder]
        spec.has_location = True  # gives the module a `__file__`
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """None: Python creates an ordinary module."""

    def exec_module(self, module: ModuleType) -> None:
        """Fills the module with its names, place by place. Raises AttributeError for a missing name."""
        name = module.__name__[len(self.prefix) :]
        module.__doc__ = "Serves `theano." + name + "`."
        for place, names in REEXPORTS[name].items():
            there = importlib.import_module(self.layer + place if place.startswith(".") else place)
            for word in names.split():
                own, _, other = word.partition("=")
                if own == "*":
                    public = getattr(there, "__all__", None) or [n for n in vars(there) if not n.startswith("_")]
                    vars(module).update((n, getattr(there, n)) for n in public)
                else:
                    setattr(module, own, getattr(there, other or own))


sys.meta_path.insert(0, ReexportFinder())


PACKAGES = {
    "exoplanet": "exoplanet 0.5 and earlier is written for PyMC3's internals: use exoplanet-core and exoplanet with pymc-ext",
    "pymc3_ext": "pymc3-ext is written for PyMC3's internals: its successor is pymc-ext",
    "sampled": "sampled is written for PyMC3's internals: write the model in a with block",
    "pymc_learn": "pymc-learn is written for PyMC3's internals",
    "pmlearn": "pymc-learn is written for PyMC3's internals",
}
"""Packages that depend on PyMC3's internals, which this layer lacks -> advice."""


class Pymc3Finder:
    """Finds `pymc3` and its modules, and raises ImportError for packages that depend on PyMC3's internals."""

    def __init__(self, before: Callable[[], None]) -> None:
        self.before = before
        self.told = False

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        """Returns the spec of a module of PyMC3; None for others. Raises ImportError for a module without a counterpart."""
        root, _, name = fullname.partition(".")
        if root in PACKAGES and "pymc3" in sys.modules:
            raise ImportError("{} is not provided: {}".format(root, PACKAGES[root]), name=fullname)
        if fullname in ("pymc", "pymc3") and not self.told:
            self.told = True
            self.before()
        if root != "pymc3":
            return None
        self._layer().check(name)
        return importlib.machinery.ModuleSpec(fullname, self, origin="served over PyMC", is_package=True)  # type: ignore[arg-type]

    @staticmethod
    def _layer() -> Any:
        return importlib.import_module((__package__ or "") + ".pymc3.modules")

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Returns a module whose names are resolved at their first use."""
        module: ModuleType = self._layer().ServedModule(spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Does nothing: names are resolved at their first use."""


def serve_pymc3(before: Callable[[], None]) -> None:
    """Makes `import pymc3` work from now on; `before` is called once, before PyMC is imported."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Pymc3Finder)]
    sys.meta_path.insert(0, Pymc3Finder(before))
