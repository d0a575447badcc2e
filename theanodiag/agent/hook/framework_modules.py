"""The framework modules whose classes the hook wraps, and the finder in `sys.meta_path` that runs an action right after their import.

A module that a release lacks is never imported, so its entry has no effect.
"""

import functools
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .functions import Depths
    from .session import HookSession


# Constant folding without a C compiler: while graphs are optimized, Ops with a Python implementation run in Python.
#
# constant_folding of Theano and Aesara calls `op.make_thunk(...)`, which compiles C first (theano/tensor/opt.py 1.0.5,
# aesara/tensor/rewriting/basic.py 2.9), and so do test values; values and types are the same in Python. Ops without a Python implementation
# are compiled as usual. Functions that such an Op compiles for itself really compute, in Python.


class Folding(object):
    """Patches `make_thunk` of Ops so that it tries the Python implementation first. Even in a dry run, values needed while graphs are
    optimized (constant folding) are really computed.
    """

    def __init__(self, depths: "Depths") -> None:
        self.depths = depths

    def wrap(self, cls: "Live") -> None:
        """Wraps `cls.make_thunk` if the class itself defines it."""
        original = cls.__dict__.get("make_thunk")
        if original is not None:
            cls.make_thunk = functools.wraps(original)(self._python_first(original))

    def _python_first(self, original: "Live") -> "Live":
        def make_thunk(op: "Live", node: "Live", storage: "Live", computed: "Live", no_recycling: "Live", impl: "Live" = None) -> "Live":
            def make(kind: "Live") -> "Live":
                return self.counting(lambda: original(op, node, storage, computed, no_recycling, impl=kind))

            if impl is not None:
                return make(impl)
            try:
                thunk = make("py")
            except NotImplementedError:
                return make(impl)
            return PythonFirstThunk(self, thunk, lambda: make(impl))

        return make_thunk

    def counting(self, compute: "Callable[[], Live]") -> "Live":
        """Runs `compute` and returns its result. Functions compiled in `compute` return real values, except while inner functions are
        prepared.
        """
        if self.depths.inner:
            return compute()
        self.depths.rewriting += 1
        try:
            return compute()
        finally:
            self.depths.rewriting -= 1


def seed_quickly(module: "Live") -> None:
    """Makes `sandbox/rng_mrg.py` use copies of one random stream state instead of computing thousands: no shape depends on them."""

    def get_substream_rstates(streams: "Live", n_streams: int, dtype: str, inc_rstate: bool = True) -> "Live":
        import numpy

        return numpy.tile(numpy.asarray(streams.rstate, dtype="int32"), (n_streams, 1))

    for value in list(vars(module).values()):
        if isinstance(value, type) and "get_substream_rstates" in value.__dict__:
            setattr(value, "get_substream_rstates", get_substream_rstates)


class PythonFirstThunk(object):
    """A Python thunk that switches to the compiled one if its first call shows that the Op has no Python implementation."""

    def __init__(self, folding: Folding, thunk: "Live", compiled: "Callable[[], Live]") -> None:
        self.folding = folding
        self.thunk = thunk
        self.compiled = compiled
        self.lazy = getattr(thunk, "lazy", False)
        self.inputs = getattr(thunk, "inputs", None)
        self.outputs = getattr(thunk, "outputs", None)

    def __call__(self) -> "Live":
        """Computes the node, in Python or with the compiled thunk."""
        return self.folding.counting(self._compute)

    def _compute(self) -> "Live":
        import numpy

        try:
            with numpy.errstate(all="ignore"):  # compiled C does not warn of infinities either
                return self.thunk()
        except Exception as error:
            if not isinstance(error, NotImplementedError) and type(error).__name__ != "MethodNotDefined":
                raise
            self.thunk = self.compiled()
            return self.thunk()


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
        """The framework's package, as a module."""
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
    """Returns the actions after imports: module name -> function to call. The actions wrap FunctionMakers, shared variables and, for dry
    runs, Ops.
    """
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
    """Makes an import action that calls `wrap(cls)` for each class of a module whose name ends in one of `PARTS`."""

    def action(module: "Live") -> None:
        for value in list(vars(module).values()):
            name = getattr(value, "__name__", "")
            if isinstance(value, type) and value.__module__ == module.__name__ and name.endswith(PARTS):
                wrap(value)

    return action


PARTS = ("FunctionMaker", "_Maker", "SharedVariable", "Op", "Scan", "OpFromGraph")
"""Endings of the names of classes that are wrapped."""


class AfterImport(object):
    """Calls `actions[name](module)` once, after the module `name` was executed. Other finders locate the module."""

    def __init__(self, actions: "dict[str, Callable[[Live], None]]") -> None:
        self.actions = actions
        self.busy = set()  # type: set[str]

    def install(self) -> None:
        """Runs the actions of modules that are already imported, then inserts this object as the first finder of imports."""
        for name in list(self.actions):
            if sys.modules.get(name) is not None:
                self.done(sys.modules[name])
        sys.meta_path.insert(0, self)

    def done(self, module: "Live") -> None:
        """Runs the action of a module that was just executed, and removes it from the table."""
        action = self.actions.pop(module.__name__, None)
        if action is not None:
            action(module)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Live":
        """Finder for CPython 3: returns the spec that the other finders give, with a loader that also runs the action after the module was
        executed.
        """
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
        """Finder for CPython 2.7: returns itself as the loader, whose `load_module` uses the other finders."""
        return self if sys.version_info[0] == 2 and name in self.actions and name not in self.busy else None

    def load_module(self, name: str) -> "Live":
        """Loader for CPython 2.7: imports the module through the other finders, then runs its action."""
        self.busy.add(name)
        try:
            __import__(name)
        finally:
            self.busy.discard(name)
        self.done(sys.modules[name])
        return sys.modules[name]


def call_after_exec(loader: "Live", done: "Callable[[Live], None]") -> None:
    """Wraps `exec_module` of one loader so that `done(module)` is called after a module was executed."""
    execute = loader.exec_module

    def exec_module(module: "Live") -> None:
        execute(module)
        done(module)

    loader.exec_module = exec_module
