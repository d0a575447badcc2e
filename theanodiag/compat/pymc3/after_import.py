"""Calls a function when a module has been imported."""

import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable


class _AfterImport:
    """An import finder that changes one module right after its import."""

    def __init__(self, name: str, change: Callable[[ModuleType], None]) -> None:
        self.name = name
        self.change = change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The spec of the module, with a loader that calls `change` after execution; None for other modules."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        spec = importlib.util.find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        if loader is not None:
            execute = loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                self.change(module)

            loader.exec_module = executed
        return spec


def after_import(name: str, change: Callable[[ModuleType], None]) -> None:
    """Calls `change` with the module `name`: immediately if it is imported, else after its import."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _AfterImport(name, change))  # type: ignore[arg-type]
