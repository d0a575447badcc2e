"""Reads a compiled function of this process, and remembers the live graph behind each FunctionGraph."""

from __future__ import annotations

import weakref

from ..agent.walk.graph import SharedIds, Walk
from ..errors import UnreadableError
from ..ir import FunctionGraph
from . import fgraph


class _Source:
    """The live graph from which a FunctionGraph was read; exists for as long as that."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk


_SOURCES: weakref.WeakValueDictionary[int, _Source] = weakref.WeakValueDictionary()


def is_compiled(fn: object) -> bool:
    """Whether `fn` is a function compiled by a framework, with its graph."""
    return hasattr(getattr(fn, "maker", fn), "fgraph")


def read_graph(fn: object, *, name: str = "", registry: SharedIds | None = None) -> FunctionGraph:
    """The optimised graph of `fn`, a function that Theano, Theano-PyMC, Aesara or PyTensor compiled in this interpreter.

    Args:
        fn: The compiled function.
        name: What it is called in reports; empty: its own name.
        registry: The ids of shared variables; graphs that are read with the same one have the same ids.

    Returns:
        The graph.

    Raises:
        UnreadableError: `fn` is no compiled function.

    >>> import sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> x = lib.tensor.matrix("x")
    >>> graph = read_graph(lib.function([x], lib.tensor.exp(x), name="f"))
    >>> graph.name, [graph.variables[i.variable].name for i in graph.inputs], len(graph.applies)
    ('f', ['x'], 1)
    """
    if not is_compiled(fn):
        raise UnreadableError(f"not a compiled function: {fn!r}", help="pass what theano.function (or pytensor.function) returned")
    walk = Walk(getattr(fn, "maker", fn), name or str(getattr(fn, "name", None) or ""), registry)
    graph = fgraph.read_graph(walk.graph(), walk.name or "graph")
    source = _SOURCES[id(graph)] = _Source(walk)
    weakref.finalize(graph, id, source).atexit = False  # the source dies with the graph
    return graph


def source_of(graph: FunctionGraph) -> Walk | None:
    """The live graph from which `graph` was read in this process; None if there is none."""
    source = _SOURCES.get(id(graph))
    return None if source is None else source.walk
