"""Says in a process of `theanodiag run` that a function is still being compiled, and which mode takes less time.

docs/run.md has the figures: for every net that was measured, JAX compiles in the least time, then C, then numba.
"""

import contextlib
import importlib.util
import os
import threading
from typing import Any, Callable, Iterator, Set

import pytensor

from ..notes import note

SECONDS = 5.0
"""Time after which a function is reported."""
COMPILERS = {"JAXLinker": "JAX", "NumbaLinker": "numba", "PytorchLinker": "PyTorch"}
"""Class of a linker -> what compiles the function in its first call."""
_advised: Set[str] = set()


def compiler(linker: Any) -> str:
    """Returns the name of the program that compiles the functions of a linker; "PyTensor" if their Ops run as Python code."""
    in_python = type(linker).__name__ == "PerformLinker" or not getattr(linker, "c_thunks", True) or not pytensor.config.cxx
    return COMPILERS.get(type(linker).__name__, "PyTensor" if in_python else "g++")


def advice(of: str, has_jax: bool, has_gxx: bool) -> str:
    """Returns a hint at a mode or compiler that needs less time than `of` ("numba" or "g++"); empty if there is none."""
    if of not in ("numba", "g++"):
        return ""
    if has_jax:
        return "--mode jax takes less"
    if of == "numba" and has_gxx:
        return "--mode c takes less"
    return "JAX takes less, if it is installed" if of == "g++" else "g++ and JAX take less, if one of them is installed"


@contextlib.contextmanager
def report_if_long(doing: str, linker: Any, size: Callable[[], int]) -> Iterator[None]:
    """Reports the block, which does `doing` ("compiling train"), if it takes longer than SECONDS; `size` counts nodes."""
    if not os.environ.get("THEANODIAG_RUN"):
        yield
        return
    timer = threading.Timer(SECONDS, _report, (doing, compiler(linker), size))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _report(doing: str, of: str, size: Callable[[], int]) -> None:
    line = "{} (a graph of {} nodes) takes more than {:.0f} s".format(doing, size(), SECONDS)
    better = advice(of, importlib.util.find_spec("jax") is not None, bool(pytensor.config.cxx))
    if better and better not in _advised:
        _advised.add(better)
        line += ": " + better
    note(line)


def count(outputs: Any) -> int:
    """Returns the number of nodes that compute the Variables `outputs`."""
    variables = [getattr(output, "variable", output) for output in outputs]
    seen, waiting = set(), [variable.owner for variable in variables if getattr(variable, "owner", None) is not None]
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting.extend(variable.owner for variable in node.inputs if variable.owner is not None)
    return len(seen)
