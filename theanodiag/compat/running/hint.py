"""Advice after the traceback of a script that `theanodiag run` runs, where the message shows what is missing."""

import sys
from types import TracebackType
from typing import Optional, Type


def floats_advice(flags: str, message: str) -> str:
    """What to do, where floatX is float64, about a TypeError whose message shows float64 where float32 has to be; else empty.

    The rc file of the old machine said floatX=float32. `flags` is the name of the variable with the script's flags.
    """
    if "TensorType(float64" not in message or "TensorType(float32" not in message:
        return ""
    return "the same command with " + flags + "=floatX=float32: the script has float32 arrays, and floatX is float64 here"


def advice(error: BaseException) -> str:
    """What to do about an exception that ends a script; empty where its message does not show it."""
    frameworks = [sys.modules[name] for name in ("pytensor", "aesara") if name in sys.modules]
    double = any(getattr(getattr(framework, "config", None), "floatX", "") == "float64" for framework in frameworks)
    return floats_advice("THEANO_FLAGS", str(error)) if double and isinstance(error, TypeError) else ""


def at_error() -> None:
    """Prints the advice, if there is any, after what Python prints of the exception that ends the script."""
    before = sys.excepthook

    def hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        before(kind, error, trace)
        said = advice(error)
        if said:
            sys.stderr.write("theanodiag: next: " + said + "\n")

    # PyTensor sets a hook of its own at its import, which ends in `sys.__excepthook__` (link/utils.py, `thunk_hook`).
    sys.excepthook = sys.__excepthook__ = hook
