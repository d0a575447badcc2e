"""Registrations of this layer's Ops with JAX, numba and PyTorch, each loaded before that back-end compiles its first function.

`jax/` and `numba/` hold those of JAX and numba, `pytorch.py` those of PyTorch.
"""

import contextlib
import functools
import importlib
import inspect
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy
from pytensor.compile.maker import FunctionMaker
from pytensor.compile.mode import get_mode

_HERE = os.path.dirname(os.path.abspath(__file__))
compiling: list[str] = []
"""The back-ends whose functions are being made, the innermost last; "" for C."""
_LINKERS = {"jax": "JAXLinker", "numba": "NumbaLinker", "pytorch": "PytorchLinker"}


@functools.lru_cache(maxsize=None)
def load(backend: str) -> None:
    """Imports the registrations for `backend` ("jax", "numba" or "pytorch"), once."""
    folder = os.path.join(_HERE, backend)
    names = sorted(name[:-3] for name in os.listdir(folder) if name.endswith(".py")) if os.path.isdir(folder) else []
    for name in ["." + name for name in names] or [""]:
        importlib.import_module(__name__ + "." + backend + name)


@contextlib.contextmanager
def streams_kept() -> Iterator[None]:
    """A context that restores numpy's and Python's global random states: importing jax draws from them, which would
    change a script's data."""
    ours, pythons = numpy.random.get_state(), random.getstate()
    try:
        yield
    finally:
        numpy.random.set_state(ours)
        random.setstate(pythons)


def _loading(backend: str, convert: Any) -> Any:
    @functools.wraps(convert)
    def fgraph_convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        with streams_kept():
            load(backend)
            return convert(self, *args, **kwargs)

    return fgraph_convert


def _making(init: Any) -> Any:
    signature = inspect.signature(init)

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs)
        mode = get_mode(given.arguments.get("mode"))
        linker = type(mode.linker).__name__
        backend = next((backend for backend, name in _LINKERS.items() if name == linker), "")
        with streams_kept():
            if backend:  # before the graph is rewritten: this layer's rewrites apply to the first function too
                load(backend)
            if backend == "jax":  # as in PyTensor 3.3: in a fused Op of 3.0 types would mix as JAX mixes them; XLA fuses
                given.arguments["mode"] = mode.excluding("fusion")
            compiling.append(backend)
            try:
                init(*given.args, **given.kwargs)
            finally:
                compiling.pop()

    return __init__


def load_when_used() -> None:
    """Wraps FunctionMaker and the linkers so that they load the registrations of their back-end before its first function."""
    FunctionMaker.__init__ = _making(FunctionMaker.__init__)
    for backend, name in _LINKERS.items():
        linker: Any = getattr(importlib.import_module("pytensor.link." + backend + ".linker"), name)
        linker.fgraph_convert = _loading(backend, linker.fgraph_convert)
