"""The framework that stands in for the missing one in this process, and the API table, loaded beside each other by path."""

import contextlib
import importlib
import importlib.util
import os
import sys
import warnings
from types import ModuleType
from typing import Iterator, Optional

_NAMES = "_theanodiag_source"


@contextlib.contextmanager
def own_ops() -> Iterator[None]:
    """Within it files with Ops of ours are loaded: PyTensor 3.3 warns of the `fgraph` of `infer_shape`, which 3.0 asks for."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*infer_shape takes a", category=DeprecationWarning)
        yield


class InstalledFramework:
    """The framework that is installed."""

    prefers_c = True
    """Whether functions are computed in C where no flag says otherwise and there is a compiler, as in Theano."""

    def __init__(self, root: str) -> None:
        self.root = root

    def module(self, name: str = "") -> ModuleType:
        """The framework's module `name` (without the root)."""
        return importlib.import_module(self.root + "." + name if name else self.root)

    def find(self, name: str) -> Optional[ModuleType]:
        """The framework's module `name`, or None where it has none."""
        try:
            return self.module(name)
        except (ImportError, TypeError):  # TypeError: pytensor.d3viz.d3viz has a path for its __path__, which Python cannot search
            return None

    @property
    def version(self) -> str:
        """Of the framework, once imported."""
        return str(self.module().__version__)

    @property
    def tensor(self) -> ModuleType:
        """Its tensor module."""
        return self.module("tensor")

    def __str__(self) -> str:
        return {"aesara": "Aesara", "pytensor": "PyTensor"}[self.root] + " " + self.version


current = InstalledFramework("pytensor")
"""Set by the finder before anything is served."""


def names() -> ModuleType:
    """The API table (`source/names.py`)."""
    return _beside("names")


def legacy() -> ModuleType:
    """The names that each release had (`source/legacy/`)."""
    return _beside("legacy")


def reasons() -> ModuleType:
    """Why a name has no counterpart (`source/reasons.py`)."""
    return _beside("reasons")


def _beside(name: str) -> ModuleType:
    """A part of `source/`, which lies beside this folder, loaded by its path: nothing of ours need be importable."""
    if _NAMES not in sys.modules:
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "source")
        spec = importlib.util.spec_from_file_location(_NAMES, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
        if spec is None or spec.loader is None:
            raise ImportError("no API table in " + folder)
        module = importlib.util.module_from_spec(spec)
        sys.modules[_NAMES] = module
        spec.loader.exec_module(module)
    return importlib.import_module(_NAMES + "." + name)
