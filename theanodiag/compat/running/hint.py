"""Advice after the traceback of a script that `theanodiag run` runs: one line, or with `--explain` whose fault it is and what to do."""

import atexit
import os
import sys
from types import TracebackType
from typing import List, Optional, Type

from . import failures

failed: List[str] = []
"""Whose fault it is that the script has ended in an exception."""
status: List[int] = []
"""Exit code of this process where it is not Python's own."""


def advice(error: BaseException) -> str:
    """What to do about an exception that ends a script, where a flag or an option of `run` is all that it takes; else empty."""
    found = failures.explained(error)
    return found.advice if found.advice.startswith("the same command") and found.whose != failures.LAYER else ""


def at_error(explain: bool) -> None:
    """Prints the advice, if there is any, after what Python prints of the exception that ends the script.

    With `explain` prints whose fault it is, and the process ends with the status LAYER_LACKS where that is this layer's.
    """
    before, process = sys.excepthook, os.getpid()

    def hook(kind: Type[BaseException], error: BaseException, trace: Optional[TracebackType]) -> None:
        before(kind, error, trace)
        if not isinstance(error, Exception):
            return
        error = failures.of_trace(error, trace)
        if explain:
            sys.stderr.write(failures.screen(error))
            failed.append(failures.explained(error).whose)
            if failed[0] in (failures.LAYER, failures.NOT_SERVED) and os.getpid() == process:
                status.append(failures.LAYER_LACKS)
            return
        said = advice(error)
        if said:
            sys.stderr.write("theanodiag: next: " + said + "\n")

    def end() -> None:
        if status and os.getpid() == process:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status[0])

    # PyTensor sets a hook of its own at its import, which ends in `sys.__excepthook__` (link/utils.py, `thunk_hook`).
    sys.excepthook = sys.__excepthook__ = hook
    atexit.register(end)  # the first that is registered runs last
