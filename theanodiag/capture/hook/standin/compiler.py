"""Makes Theano believe that a C++ compiler is there, on a machine without one.

Without one Theano opens no device (theano/gpuarray/__init__.py: init_dev), leaves out the rewrites tagged `cxx_only` (compile/mode.py) and
chooses another linker (configdefaults.py): none of that would happen on the machine that has the card.
"""

import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

LAZY_LINKER = "theano.gof.lazylinker_c"
"""The module of the virtual machine in C, whose import must fail as it does without a compiler."""


class Compiled(types.ModuleType):
    """An empty module in place of one that Theano 0.9 compiles while it is imported (theano/gof/cutils.py); 1.0 compiles it only to run C
    code.
    """

    inplace_increment = None


CUTILS = ("theano.gof.cutils", "cutils_ext", "cutils_ext.cutils_ext")
"""Modules that are replaced by empty ones."""


def seen(windows: "Live", wanted: "Callable[[], bool]") -> None:
    """Wraps `call_subprocess_Popen` of theano.misc.windows: `g++ -v` succeeds if `wanted()` is true by then.

    Other runs of the compiler still fail.
    """
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
    """The exit status of a command; 1 where it does not exist."""
    try:
        return original(command, **params)
    except OSError:
        return 1
