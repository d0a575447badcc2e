"""Changes a module once it is imported."""

import importlib.util
import sys
from types import ModuleType
from typing import Any, Callable


class _AfterImport:
    """Finds one module, and has it changed once it is there."""

    def __init__(self, name: str, change: Callable[[ModuleType], None]) -> None:
        self.name = name
        self.change = change

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The specification of the module, whose loader changes it; None for others."""
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
    """Calls `change` with the module `name`: now if it is imported, else when it is."""
    if name in sys.modules:
        change(sys.modules[name])
    else:
        sys.meta_path.insert(0, _AfterImport(name, change))  # type: ignore[arg-type]
