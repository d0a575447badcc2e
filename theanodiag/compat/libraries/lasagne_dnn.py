"""Lets `lasagne.layers.dnn` be imported without a GPU: its layers then use this layer's `dnn_conv` and `dnn_pool` for the CPU.

When the module is imported, Lasagne checks for a GPU with cuDNN and raises ImportError without one.
"""

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Iterator, Optional
from unittest import mock

NAME = "lasagne.layers.dnn"


def _yes() -> bool:
    return True


@contextlib.contextmanager
def _with_cudnn() -> Iterator[None]:
    """A context in which Theano's modules report a GPU with cuDNN, to Lasagne 0.1 (old back-end) and later releases (new back-end)."""
    config, gpuarray, new, old = (
        importlib.import_module("theano" + name) for name in (".configdefaults", ".gpuarray", ".gpuarray.dnn", ".sandbox.cuda.dnn")
    )
    answers = ((gpuarray, "pygpu_activated", True), (new, "dnn_present", _yes), (new, "dnn_available", _yes), (old, "dnn_available", _yes))
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(vars(config.config), device="gpu0"))
        for holder, name, value in answers:
            stack.enter_context(mock.patch.object(holder, name, value))
        yield


class _LasagneLoader(importlib.abc.Loader):
    """Loads the module with `plain`, Python's own loader, while cuDNN is reported as present."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        """Returns the module that Python's loader creates."""
        module: Optional[ModuleType] = self.plain.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Runs the module."""
        with _with_cudnn():
            self.plain.exec_module(module)


class LasagneFinder(importlib.abc.MetaPathFinder):
    """A finder for `lasagne.layers.dnn` only."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Optional[importlib.machinery.ModuleSpec]:
        """Returns the spec with a loader that allows the module to be imported; None for any other module."""
        if fullname != NAME:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self or not hasattr(finder, "find_spec") else finder.find_spec(fullname, path, target)
            if spec is not None:
                spec.loader = _LasagneLoader(spec.loader)
                return spec
        return None
