"""The framework that replaces the missing one in this process."""

import contextlib
import importlib
import warnings
from types import ModuleType
from typing import Any, Callable, Iterator, List, Optional


@contextlib.contextmanager
def own_ops() -> Iterator[None]:
    """A context for loading files with Ops of this layer. It suppresses PyTensor 3.3's warning about `infer_shape(fgraph, ...)`, the form
    that PyTensor 3.0 needs.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*infer_shape takes a", category=DeprecationWarning)
        yield


class InstalledFramework:
    """The replacing framework; `root` is the name of its package."""

    prefers_c = True
    """Whether functions are compiled to C if no flag selects a linker and there is a C++ compiler, as in Theano."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._has_api = None  # type: Optional[bool]

    def module(self, name: str = "") -> ModuleType:
        """Imports the framework's module `name` (without the root); the package itself for ""."""
        return importlib.import_module(self.root + "." + name if name else self.root)

    def find(self, name: str) -> Optional[ModuleType]:
        """Returns the framework's module `name`, or None if it has none."""
        try:
            return self.module(name)
        except (ImportError, TypeError):  # TypeError: pytensor.d3viz.d3viz has a path for its __path__, which Python cannot search
            return None

    @property
    def has_api(self) -> bool:
        """Whether `api/` and `behaviour/` support this framework: PyTensor since 3.0. For others only names are mapped."""
        if self._has_api is None:
            from importlib.metadata import PackageNotFoundError, version

            try:
                self._has_api = self.root == "pytensor" and int(version("pytensor").partition(".")[0]) >= 3
            except (PackageNotFoundError, ValueError):
                self._has_api = self.root == "pytensor"
        return self._has_api

    @property
    def version(self) -> str:
        """The version of the framework, which is imported."""
        return str(self.module().__version__)

    @property
    def tensor(self) -> ModuleType:
        """The framework's module `tensor`."""
        return self.module("tensor")

    def __str__(self) -> str:
        return {"aesara": "Aesara", "pytensor": "PyTensor"}[self.root] + " " + self.version


call_listeners: List[Callable[[Any, Any, Any], None]] = []
"""Called as `listener(function, args, kwargs)` before each call of a compiled function: exporting needs the shapes."""
current = InstalledFramework("pytensor")
"""The replacing framework; the finder sets its root before any name is served."""
