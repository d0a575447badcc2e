"""Advice after the traceback of a script that `theanodiag run` runs, where the message shows what is missing."""

import sys
from types import TracebackType
from typing import Optional, Type


def mixes_floats(message: str) -> bool:
    """Whether a TypeError's message shows float64 where float32 has to be, as floatX=float32 of the old machine's rc file made it."""
    return "TensorType(float64" in message and "TensorType(float32" in message


def advice(error: BaseException) -> str:
    """What to do about an exception that ends a script; empty where its message does not show it."""
    frameworks = [sys.modules[name] for name in ("pytensor", "aesara") if name in sys.modules]
    double = any(getattr(getattr(framework, "config", None), "floatX", "") == "float64" for framework in frameworks)
    if double and isinstance(error, TypeError) and mixes_floats(str(error)):
        return "the same command with THEANO_FLAGS=floatX=float32: the script has float32 arrays, and floatX is float64 here"
    return ""


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
