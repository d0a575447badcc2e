"""The framework modules whose classes the hook wraps, and the finder in `sys.meta_path` that runs an action right after their import.

A module that a release lacks is never imported, so its entry has no effect.
"""

import os
import sys

from .folding import seed_quickly
from .sites import OURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .session import HookSession


ROOTS = ("theano", "aesara", "pytensor")
"""Names of the frameworks' packages."""
MAKERS = (
    "compile.function_module",  # Theano
    "compile.function.types",  # Theano-PyMC, Aesara, PyTensor 2
    "compile.maker",  # PyTensor 3
    "compile.debugmode",
    "compile.debug.debugmode",
)
"""Modules that define FunctionMaker, below the framework's root."""
SHARED = ("compile.sharedvalue", "gpuarray.type", "sandbox.cuda.var")
"""Modules that define classes of shared variables."""
OPS = ("gof.op", "graph.op", "link.c.op", "scan_module.scan_op", "scan.op", "compile.builders")
"""Modules that define `make_thunk` of Ops."""
LINKS = ("link.basic", "gof.link")
"""Modules that define Container."""


class FrameworkNames(object):
    """An imported framework; `root` is the name of its package."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def module(self) -> "Live":
        """The framework's package."""
        return sys.modules[self.root]

    @property
    def folder(self) -> str:
        """The folder of the framework's package."""
        return os.path.dirname(os.path.abspath(str(self.module.__file__)))

    @property
    def container(self) -> "Live":
        """The class Container, which holds one input or output value of a function."""
        return next(sys.modules[n].Container for n in (self.root + "." + s for s in LINKS) if n in sys.modules)


def actions(session: "HookSession") -> "dict[str, Callable[[Live], None]]":
    """Module name -> function to call after its import: wraps FunctionMakers, shared variables and, for dry runs, Ops."""
    table = {}  # type: dict[str, Callable[[Live], None]]
    for root in ROOTS:
        table[root] = session.imported
        for names, wrap in ((MAKERS, session.functions.wrap), (SHARED, session.shared.wrap), (OPS, session.folding.wrap)):
            for name in names if names is not OPS or session.options.dry else ():
                table[root + "." + name] = each_class(wrap)
        if session.options.dry:
            table[root + ".sandbox.rng_mrg"] = seed_quickly
    return table


def each_class(wrap: "Callable[[Live], None]") -> "Callable[[Live], None]":
    """An action that applies `wrap` to each class which a module defines and whose name ends in one of `PARTS`."""

    def action(module: "Live") -> None:
        for value in list(vars(module).values()):
            name = getattr(value, "__name__", "")
            if isinstance(value, type) and value.__module__ == module.__name__ and name.endswith(PARTS):
                wrap(value)

    return action


PARTS = ("FunctionMaker", "_Maker", "SharedVariable", "Op", "Scan", "OpFromGraph")
"""Endings of the names of classes that are wrapped."""


class Lender(object):
    """Finds theanodiag beside these files for an interpreter in which it is not installed, so that a ported script can import it.

    `tell()` is called when that is done.
    """

    def __init__(self, tell: "Callable[[], None]") -> None:
        self.tell = tell

    def install(self) -> None:
        """Becomes the last finder: a theanodiag that is installed comes first. Only for a Python that can read it."""
        if sys.version_info >= (3, 9):
            sys.meta_path.append(self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Live":
        """The spec of the package itself; its modules are found by its path."""
        if name != "theanodiag":
            return None
        import importlib.util

        self.tell()
        return importlib.util.spec_from_file_location(name, OURS + "__init__.py", submodule_search_locations=[OURS.rstrip(os.sep)])


class AfterImport(object):
    """Calls `actions[name](module)` once, after the module `name` was executed. Other finders locate the module."""

    def __init__(self, actions: "dict[str, Callable[[Live], None]]") -> None:
        self.actions = actions
        self.busy = set()  # type: set[str]

    def install(self) -> None:
        """Runs the actions of modules that are already imported, then inserts itself as the first finder."""
        for name in list(self.actions):
            if sys.modules.get(name) is not None:
                self.done(sys.modules[name])
        sys.meta_path.insert(0, self)

    def done(self, module: "Live") -> None:
        """Runs and removes the action of a module that was executed."""
        action = self.actions.pop(module.__name__, None)
        if action is not None:
            action(module)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Live":
        """CPython 3: the spec of the other finders, with a loader that runs the action after the module was executed."""
        if name not in self.actions or name in self.busy:
            return None
        import importlib.util

        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            call_after_exec(spec.loader, self.done)
        return spec

    def find_module(self, name: str, path: object = None) -> "Live":
        """CPython 2.7: returns itself as the loader, whose `load_module` uses the other finders."""
        return self if sys.version_info[0] == 2 and name in self.actions and name not in self.busy else None

    def load_module(self, name: str) -> "Live":
        """CPython 2.7: imports the module through the other finders, then runs its action."""
        self.busy.add(name)
        try:
            __import__(name)
        finally:
            self.busy.discard(name)
        self.done(sys.modules[name])
        return sys.modules[name]


def call_after_exec(loader: "Live", done: "Callable[[Live], None]") -> None:
    """Wraps `exec_module` of this one loader so that `done(module)` is called afterwards."""
    execute = loader.exec_module

    def exec_module(module: "Live") -> None:
        execute(module)
        done(module)

    loader.exec_module = exec_module
