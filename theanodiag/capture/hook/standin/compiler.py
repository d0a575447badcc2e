"""A machine without a C++ compiler looks as if it had one.

Without one Theano opens no device (theano/gpuarray/__init__.py: init_dev), leaves out the rewrites tagged `cxx_only` (compile/mode.py)
and takes another linker (configdefaults.py): none of that is so on the machine that has the card.
"""

import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

LAZY_LINKER = "theano.gof.lazylinker_c"


class Compiled(types.ModuleType):
    """Stands for what Theano 0.9 compiles while it is imported (theano/gof/cutils.py); 1.0 does so only to run C code."""

    inplace_increment = None


CUTILS = ("theano.gof.cutils", "cutils_ext", "cutils_ext.cutils_ext")


def seen(windows: "Live", wanted: "Callable[[], bool]") -> None:
    """Module theano.misc.windows was imported: `g++ -v` succeeds if `wanted` by then. Other runs of the compiler still fail."""
    original = windows.call_subprocess_Popen

    def call_subprocess_Popen(command: "Live", **params: "Live") -> "Live":  # noqa: N802  # Theano's own name
        if not wanted():
            return original(command, **params)
        found = status(original, command, params)
        if found and list(command) == ["g++", "-v"]:
            sys.modules.setdefault(LAZY_LINKER, None)  # type: ignore[arg-type]  # its import fails at once, as without a compiler
            for name in CUTILS:
                sys.modules.setdefault(name, Compiled(name))
            return 0
        return found

    windows.call_subprocess_Popen = call_subprocess_Popen


def status(original: "Live", command: "Live", params: "Live") -> "Live":
    """The exit status of a command; that of a failure where it does not exist."""
    try:
        return original(command, **params)
    except OSError:
        return 1
