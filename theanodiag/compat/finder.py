"""Import finder that serves alias modules for frameworks that are not installed."""

import importlib.machinery
import sys
from types import ModuleType
from typing import Callable, Dict, Optional, Sequence

from . import framework
from .errors import NoSuchImport
from .modules import AliasModule, has_module, missing


class AliasFinder:
    """Finder and loader of alias modules; `aliases` maps each missing root to the framework that stands in."""

    def __init__(self, aliases: Dict[str, str], installed: Callable[[str], bool]) -> None:
        self.aliases = aliases
        self.installed = installed

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """Spec of an alias module; None for other roots, NoSuchImport for a module without a counterpart."""
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
        """An AliasModule, whose names are looked up when they are first asked for."""
        return AliasModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Changes PyTensor's behaviour to the legacy one, at the first alias module."""
        if framework.current.has_api:
            from . import behaviour

            behaviour.apply_once(module.__name__.partition(".")[0])


def put_in_front(aliases: Dict[str, str], installed: Callable[[str], bool]) -> AliasFinder:
    """Installs a finder for `aliases` (missing root -> framework) in place of an earlier one; `installed` tells it when a real one
    appears."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AliasFinder)]
    for root in aliases.values():
        framework.current.root = root
    finder = AliasFinder(aliases, installed)
    sys.meta_path.insert(0, finder)
    return finder
