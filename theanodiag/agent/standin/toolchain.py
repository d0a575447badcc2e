"""Makes Theano's checks for a C++ compiler and for cuDNN succeed on a machine that has neither.

Without a compiler Theano opens no device (theano/gpuarray/__init__.py: init_dev), skips the optimisations tagged `cxx_only`
(compile/mode.py) and selects another linker (configdefaults.py), so the graph would differ from that on the machine with the card. Of cuDNN
only its presence and version are simulated, since graphs depend on nothing else (theano/gpuarray/dnn.py).
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
    """An empty module in place of one that Theano 0.9 compiles at import (theano/gof/cutils.py). Theano 1.0 compiles it only to run C
    code."""

    inplace_increment = None


CUTILS = ("theano.gof.cutils", "cutils_ext", "cutils_ext.cutils_ext")
"""Modules that are replaced by empty ones."""


def present_compiler(windows: "Live", wanted: "Callable[[], bool]") -> None:
    """Wraps `call_subprocess_Popen` of theano.misc.windows so that `g++ -v` succeeds while `wanted()` is true.

    Other compiler runs still fail.
    """
    original = windows.call_subprocess_Popen

    def call_subprocess_Popen(command: "Live", **params: "Live") -> "Live":  # noqa: N802  # Theano's own name
        if not wanted():
            return original(command, **params)
        code = status(original, command, params)
        if code and list(command) == ["g++", "-v"]:
            sys.modules.setdefault(LAZY_LINKER, None)  # type: ignore[arg-type]  # its import fails at once, as without a compiler
            for name in CUTILS:
                sys.modules.setdefault(name, Compiled(name))
            return 0
        return code

    windows.call_subprocess_Popen = call_subprocess_Popen


def status(original: "Live", command: "Live", params: "Live") -> "Live":
    """The exit status of a command; 1 if it does not exist."""
    try:
        return original(command, **params)
    except OSError:
        return 1


class Library(object):
    """Replaces the loaded cuDNN library."""

    @staticmethod
    def cudnnCreate(handle: "Live") -> int:  # noqa: N802  # cuDNN's own name
        """Returns CUDNN_STATUS_SUCCESS and creates nothing."""
        return 0


def present_cudnn(dnn: "Live", version: int) -> None:
    """Marks cuDNN as found, with this version, in theano.gpuarray.dnn. Theano still checks whether the device supports it."""
    dnn.dnn_present.avail, dnn.dnn_present.msg = True, None
    dnn.version.v = version
    if hasattr(dnn, "_dnn_lib"):
        dnn._dnn_lib.handle = Library()
    else:
        dnn._make_handle = lambda context: None
