"""Installs the layer in processes that multiprocessing starts anew (spawn, forkserver); a forked process has it already."""

import os
from typing import List, Optional, Sequence

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
"""How the programs begin by which multiprocessing starts processes for the user's work (CPython 3.5 to 3.14)."""


def follow(preferred: Optional[str]) -> None:
    """Makes each process that multiprocessing spawns from now on begin with `install(preferred)`."""
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
    """The command line `args` with `code` before its program, where that is one of multiprocessing's that does the user's work."""
    found = list(args)
    for k, word in enumerate(found):
        if k and found[k - 1] == "-c" and isinstance(word, str) and word.startswith(STARTERS):
            found[k] = code + word
    return found
