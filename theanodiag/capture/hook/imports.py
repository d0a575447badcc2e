"""Runs an action right after a module was imported, whoever imports it: a finder in `sys.meta_path`, for CPython 2.7 and 3."""

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live


class AfterImport(object):
    """Calls `actions[name](module)` once, after module `name` was executed. It locates no module itself: the other finders do."""

    def __init__(self, actions: "dict[str, Callable[[Live], None]]") -> None:
        self.actions = actions
        self.busy = set()  # type: set[str]

    def install(self) -> None:
        """Runs the actions of modules that are imported already, then puts itself first among the finders."""
        for name in list(self.actions):
            if sys.modules.get(name) is not None:
                self.done(sys.modules[name])
        sys.meta_path.insert(0, self)

    def done(self, module: "Live") -> None:
        """Runs the action for a module that was executed."""
        action = self.actions.pop(module.__name__, None)
        if action is not None:
            action(module)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Live":
        """CPython 3: the spec from the other finders, with a loader that reports when the module was executed."""
        if name not in self.actions or name in self.busy:
            return None
        import importlib.util

        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec is not None and spec.loader is not None and hasattr(spec.loader, "exec_module"):
            tell_after(spec.loader, self.done)
        return spec

    def find_module(self, name: str, path: object = None) -> "Live":
        """CPython 2.7: returns itself as the loader; `load_module` then imports past it."""
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


def tell_after(loader: "Live", done: "Callable[[Live], None]") -> None:
    """Wraps `exec_module` of this one loader so that `done(module)` is called afterwards."""
    execute = loader.exec_module

    def exec_module(module: "Live") -> None:
        execute(module)
        done(module)

    loader.exec_module = exec_module
