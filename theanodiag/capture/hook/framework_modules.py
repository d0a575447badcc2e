"""Where each framework keeps what the hook takes over. Modules that a version does not have are never imported, so never asked for."""

import os
import sys

from .folding import seed_quickly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live
    from .session import Session

ROOTS = ("theano", "aesara", "pytensor")
MAKERS = (
    "compile.function_module",  # Theano
    "compile.function.types",  # Theano-PyMC, Aesara, PyTensor 2
    "compile.maker",  # PyTensor 3
    "compile.debugmode",
    "compile.debug.debugmode",
)
SHARED = ("compile.sharedvalue", "gpuarray.type", "sandbox.cuda.var")
OPS = ("gof.op", "graph.op", "link.c.op", "scan_module.scan_op", "scan.op", "compile.builders")
LINKS = ("link.basic", "gof.link")


class FrameworkNames(object):
    """One framework, by the name under which it is imported."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def module(self) -> "Live":
        """The package itself."""
        return sys.modules[self.root]

    @property
    def folder(self) -> str:
        """Where the package lies."""
        return os.path.dirname(os.path.abspath(str(self.module.__file__)))

    @property
    def container(self) -> "Live":
        """The class that holds one value."""
        return next(sys.modules[n].Container for n in (self.root + "." + s for s in LINKS) if n in sys.modules)


def actions(session: "Session") -> "dict[str, Callable[[Live], None]]":
    """What to do after each module was imported."""
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
    """Applies `wrap` to the classes that a module defines and that play a part."""

    def action(module: "Live") -> None:
        for value in list(vars(module).values()):
            name = getattr(value, "__name__", "")
            if isinstance(value, type) and value.__module__ == module.__name__ and name.endswith(PARTS):
                wrap(value)

    return action


PARTS = ("FunctionMaker", "_Maker", "SharedVariable", "Op", "Scan", "OpFromGraph")
"""How the names of those classes end."""
