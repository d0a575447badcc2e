"""Import finder that serves `pymc3` over the PyMC that is installed; PyMC itself is imported when the script asks for it."""

import importlib
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

PACKAGES = {
    "exoplanet": "exoplanet 0.5 and earlier is written for PyMC3's internals: use exoplanet-core and exoplanet with pymc-ext",
    "pymc3_ext": "pymc3-ext is written for PyMC3's internals: its successor is pymc-ext",
    "sampled": "sampled is written for PyMC3's internals: write the model in a with block",
    "pymc_learn": "pymc-learn is written for PyMC3's internals",
    "pmlearn": "pymc-learn is written for PyMC3's internals",
}
"""Packages that reach into PyMC3, which this layer does not serve."""


class Pymc3Finder:
    """Finds `pymc3` and its modules, and says of packages that reach into PyMC3 that they are not served."""

    def __init__(self, before: Callable[[], None]) -> None:
        self.before = before
        self.told = False

    def find_spec(self, fullname: str, path: Optional[Sequence[str]] = None, target: Any = None) -> Any:
        """The spec of a module of PyMC3; None for others. Raises ImportError for one without a counterpart."""
        root, _, name = fullname.partition(".")
        if root in PACKAGES and "pymc3" in sys.modules:
            raise ImportError("{} is not served: {}".format(root, PACKAGES[root]), name=fullname)
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
        """A module whose names are looked up when they are asked for."""
        module: ModuleType = self._layer().ServedModule(spec.name)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: names are looked up when they are asked for."""


def put_in_front(before: Callable[[], None]) -> None:
    """Serves `pymc3` from now on; `before` is called once, before PyMC is imported for it."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Pymc3Finder)]
    sys.meta_path.insert(0, Pymc3Finder(before))
