"""The modules of each framework whose classes the hook wraps.

A module that a release does not have is never imported, so its entry is never used.
"""

import os
import sys

from .folding import seed_quickly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live
    from .session import Session

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
    """An imported framework and the objects that the hook needs of it; `root` is the name of its package."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def module(self) -> "Live":
        """The framework's package."""
        return sys.modules[self.root]

    @property
    def folder(self) -> str:
        """The folder of the package."""
        return os.path.dirname(os.path.abspath(str(self.module.__file__)))

    @property
    def container(self) -> "Live":
        """The class Container, which holds one value of a function's storage."""
        return next(sys.modules[n].Container for n in (self.root + "." + s for s in LINKS) if n in sys.modules)


def actions(session: "Session") -> "dict[str, Callable[[Live], None]]":
    """Module name -> what to do after it was imported: wrap its function makers, shared variables and, for dry runs, Ops."""
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
    """An action that applies `wrap` to each class of a module whose name ends in one of `PARTS`; classes imported from elsewhere are left
    out.
    """

    def action(module: "Live") -> None:
        for value in list(vars(module).values()):
            name = getattr(value, "__name__", "")
            if isinstance(value, type) and value.__module__ == module.__name__ and name.endswith(PARTS):
                wrap(value)

    return action


PARTS = ("FunctionMaker", "_Maker", "SharedVariable", "Op", "Scan", "OpFromGraph")
"""Endings of the names of classes that are wrapped."""
