"""Registrations of our Ops with JAX, numba and PyTorch, loaded where that backend first compiles a function.

`jax.py` and every `jax_<family>.py` belong to JAX; `numba*.py` and `pytorch*.py` likewise.
"""

import functools
import importlib
import os
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_LINKERS = {"jax": "JAXLinker", "numba": "NumbaLinker", "pytorch": "PytorchLinker"}


def files(backend: str) -> list[str]:
    """Names of the files here that register with `backend`."""
    names = sorted(name[:-3] for name in os.listdir(_HERE) if name.endswith(".py"))
    return [name for name in names if name == backend or name.startswith(backend + "_")]


@functools.lru_cache(maxsize=None)
def load(backend: str) -> None:
    """Registers our Ops with `backend`, once."""
    for name in files(backend):
        importlib.import_module(__name__ + "." + name)


def _loading(backend: str, convert: Any) -> Any:
    @functools.wraps(convert)
    def fgraph_convert(self: Any, *args: Any, **kwargs: Any) -> Any:
        load(backend)
        return convert(self, *args, **kwargs)

    return fgraph_convert


def load_when_used() -> None:
    """From now on each of PyTensor's linkers loads our registrations before it converts its first graph."""
    for backend, name in _LINKERS.items():
        linker: Any = getattr(importlib.import_module("pytensor.link." + backend + ".linker"), name)
        linker.fgraph_convert = _loading(backend, linker.fgraph_convert)
