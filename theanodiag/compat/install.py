"""Finds out which frameworks are missing and installs the import finder that serves them."""

import os
import sys
from typing import List, Optional, Sequence

TARGETS = {"theano": ("aesara", "pytensor"), "aesara": ("pytensor",)}
"""Package that a script may import -> frameworks that can replace it, most similar first."""
Description = dict
"""Dict that `install` returns."""


def installed(name: str) -> bool:
    """Returns whether the real package `name` can be imported; a folder of that name without `__init__.py` does not count."""
    if name in sys.modules:
        return not hasattr(sys.modules[name], "__theanodiag_alias_of__")
    from importlib.machinery import PathFinder

    try:
        spec = PathFinder.find_spec(name)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and spec.loader is not None


def choose(name: str, preferred: Optional[str] = None) -> Optional[str]:
    """Returns the framework that replaces `name`; None if `name` is installed or there is no replacement."""
    if installed(name):
        return None
    candidates = [target for target in TARGETS[name] if installed(target)]
    if preferred in candidates:
        return preferred
    return candidates[0] if candidates else None


def install(preferred: Optional[str] = None) -> "Description[str, object]":
    """Makes imports of missing frameworks work from now on. Returns a description.

    `preferred` is `aesara` or `pytensor`, in case both are installed. The description has `aliases` (missing name -> replacement), `flags`
    (environment variable -> new value, translated from the legacy one), `dropped` (legacy flags without a counterpart), and `refused` (why
    an installed framework cannot be used, as `what|what to do`). The framework itself is imported only when the script needs it.
    """
    chosen = {name: choose(name, preferred) for name in sorted(TARGETS)} if sys.version_info >= (3, 5) else {}
    aliases = {name: target for name, target in chosen.items() if target}
    description = {"aliases": aliases, "flags": {}, "dropped": [], "refused": ""}  # type: Description[str, object]
    if "theano" not in aliases:
        from . import old_names

        old_names.install()
    if aliases:
        from . import supported_releases

        why = supported_releases.refusal(next(iter(aliases.values())))
        if why and not serves_pymc3():  # an older PyMC needs an older PyTensor: its models take the names of Theano alone
            sys.meta_path.insert(0, supported_releases.RefusingFinder(aliases, why))
            description.update(aliases={}, refused=why)
            return description
        from . import environment, finder

        # One framework serves all names: two of them in one process would not know each other's variables.
        target = aliases.get("theano") or aliases["aesara"]
        finder.put_in_front({name: target for name in aliases}, installed)
        flags, dropped = environment.translate(sorted(aliases), target, os.environ)
        os.environ.update(flags)
        follow(preferred)
        _serve_lasagne_dnn(target)
        description.update(flags=flags, dropped=dropped)
    if serves_pymc3():
        from .finder import serve_pymc3

        serve_pymc3(_leave_to_pymc)
        description["pymc3"] = "pymc"
    return description


def _serve_lasagne_dnn(target: str) -> None:
    """Lets Lasagne's layers for cuDNN be imported if PyTensor is the replacement, for which `api/` has the functions that they call."""
    if target == "pytensor":
        from .libraries import lasagne_dnn

        if not any(isinstance(finder, lasagne_dnn.LasagneFinder) for finder in sys.meta_path):
            sys.meta_path.insert(0, lasagne_dnn.LasagneFinder())


def serves_pymc3() -> bool:
    """Returns whether a PyMC on PyTensor (5 and later; 4 uses Aesara) is installed, and PyMC3 is not."""
    return sys.version_info >= (3, 9) and not installed("pymc3") and installed("pymc") and installed("pytensor")


def _leave_to_pymc() -> None:
    """Restores PyTensor's own types, rewrites and default linker for PyMC: those chosen for Theano's functions do not suit samplers."""
    import pytensor

    from . import framework

    if framework.current.has_api:
        from .behaviour import broadcasting, stabilising

        broadcasting.withdraw()
        stabilising.withdraw()
    if os.environ.get("THEANODIAG_RUN") and '"auto": true' in os.environ["THEANODIAG_RUN"] and pytensor.config.mode == "JAX":
        pytensor.config.mode = "Mode"


PACKAGE = "_theanodiag_compat"
"""Name under which this folder is imported in the new process."""
CODE = (
    "import importlib, sys, types; keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True; "
    "names = sys.modules.setdefault({package!r}, types.ModuleType({package!r})); names.__path__ = [{folder!r}]; "
    "importlib.import_module({package!r} + '.install').install({preferred!r}); sys.dont_write_bytecode = keep; "
)
"""Source text put before the program of a new process: it imports these files by their path, since theanodiag need not be importable
there."""
STARTERS = ("from multiprocessing.spawn import", "from multiprocessing.forkserver import")
"""First words of the programs with which multiprocessing starts processes for the user's work (CPython 3.5 to 3.14)."""


def follow(preferred: Optional[str]) -> None:
    """Makes each process that multiprocessing spawns from now on start with `install(preferred)`."""
    try:
        from multiprocessing import util
    except ImportError:  # a platform without processes
        return
    start = getattr(util, "spawnv_passfds", None)
    if start is None:
        return
    start = getattr(start, "__theanodiag_original__", start)
    code = CODE.format(package=PACKAGE, folder=os.path.dirname(os.path.abspath(__file__)), preferred=preferred)

    def spawnv_passfds(path: object, args: Sequence[object], passfds: object) -> object:
        return start(path, with_code(args, code), passfds)

    spawnv_passfds.__theanodiag_original__ = start  # type: ignore[attr-defined]
    util.spawnv_passfds = spawnv_passfds  # type: ignore[assignment]


def with_code(args: Sequence[object], code: str) -> List[object]:
    """Returns the command line `args` with `code` inserted before its program, if that is multiprocessing's program for the user's work."""
    arguments = list(args)
    for k, word in enumerate(arguments):
        if k and arguments[k - 1] == "-c" and isinstance(word, str) and word.startswith(STARTERS):
            arguments[k] = code + word
    return arguments
