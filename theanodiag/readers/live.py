"""Reads a compiled function of this very interpreter."""

from __future__ import annotations

from ..errors import UnreadableError
from ..ir import FunctionGraph
from . import fgraph
from .fgraph_walk import Registry, walk_function


def read_graph(fn: object, *, name: str = "", registry: Registry | None = None) -> FunctionGraph:
    """The optimised graph of `fn`, a function that Theano, Theano-PyMC, Aesara or PyTensor compiled in this interpreter.

    Shared variables get the same ids in all graphs that were read with the same `registry`.
    Raises `UnreadableError` where `fn` is no compiled function.
    """
    if not hasattr(getattr(fn, "maker", fn), "fgraph"):
        raise UnreadableError(f"not a compiled function: {fn!r}", help="pass what theano.function (or pytensor.function) returned")
    return fgraph.read_graph(walk_function(fn, name, registry), name or "graph")
