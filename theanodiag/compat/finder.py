"""The import finder that serves alias modules for a framework that is not installed."""

import importlib.machinery
import sys
from types import ModuleType
from typing import Callable, Dict, Optional, Sequence

from . import framework
from .errors import NoSuchImport
from .modules import AliasModule, has_module, missing


class AliasFinder:
    """Finds `theano`, `theano.tensor`, ... and makes alias modules for them."""

    def __init__(self, aliases: Dict[str, str], installed: Callable[[str], bool]) -> None:
        self.aliases = aliases
        self.installed = installed

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]] = None, target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        """A spec where `fullname` is one of ours."""
        root, _, name = fullname.partition(".")
        if root not in self.aliases:
            return None
        if not name and self.installed(root):  # it turned up on sys.path since
            del self.aliases[root]
            return None
        if not has_module(name):
            raise missing(NoSuchImport, root, name)
        return importlib.machinery.ModuleSpec(fullname, self, origin="alias of " + self.aliases[root], is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """An alias module for the spec."""
        return AliasModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Changes the framework's behaviour to the legacy one, once; what an alias module holds is looked up when it is asked for."""
        if framework.current.root == "pytensor":
            from . import behaviour

            behaviour.apply_once(module.__name__.partition(".")[0])


def put_in_front(aliases: Dict[str, str], installed: Callable[[str], bool]) -> AliasFinder:
    """Serves `aliases` (missing name -> framework) from now on, in the place of an earlier finder, until `installed` finds the real one."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AliasFinder)]
    for root in aliases.values():
        framework.current.root = root
    finder = AliasFinder(aliases, installed)
    sys.meta_path.insert(0, finder)
    return finder
