"""`theanodiag run --explain`: lists at exit which legacy names the script used and which objects served them."""

import atexit
import os
import sys
from types import ModuleType
from typing import Any, Dict

from .. import modules
from .failures import failed

_served: Dict[str, str] = {}


def _described(value: object, name: str) -> str:
    """A short description of `value`: its module and qualified name."""
    here = getattr(value, "__module__", None) or getattr(type(value), "__module__", "") or ""
    own = ".compat." in here or here.startswith("_theanodiag_compat")
    called = getattr(value, "__qualname__", None) or getattr(value, "name", None) or type(value).__name__
    return ("this layer's own " if own else "") + "{}.{}".format(here.replace("_theanodiag_compat", "theanodiag.compat"), called)


def at_exit(done: Dict[str, Any]) -> None:
    """Records each legacy name resolved from now on, and prints them to stderr at the end of this process, unless it ends in an exception.

    `done` is the description returned by `install`; its flags are listed too.
    """
    plain = modules.resolve
    pid = os.getpid()

    def resolve(root: str, name: str) -> object:
        value = plain(root, name)
        if not isinstance(value, ModuleType):
            _served[root + "." + name] = _described(value, name)
        return value

    modules.resolve = resolve

    def listed() -> None:
        if os.getpid() != pid or failed:
            return
        lines = ["", "theanodiag: what this script used"]
        lines += ["  {:45} {}".format(name, what) for name, what in sorted(_served.items())]
        lines += ["  {:45} {}".format(flag, "dropped: no such flag any more") for flag in done["dropped"]]
        lines += ["  {:45} {}".format(name, value) for name, value in done["flags"].items()]
        for name in sorted(n for n in sys.modules if n.endswith(".running.python2")):
            lines += ["  {:45} {}".format(path, "translated from Python 2") for path in sys.modules[name].translated]
        for name in sorted(n for n in sys.modules if n.endswith(".compat.behaviour.modes") or n == "_theanodiag_compat.behaviour.modes"):
            lines += ["  {:45} {}".format(f, "runs in C: JAX cannot compute it") for f in sys.modules[name].fallen_back]
        sys.stderr.write("\n".join(lines) + "\n")

    atexit.register(listed)
