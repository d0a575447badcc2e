"""Accepts rewrites written for Theano: functions that take only the node, and positions as positional arguments."""

import inspect
from typing import Any
from weakref import WeakSet

from pytensor.graph.basic import Apply, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.basic import GraphRewriter, NodeRewriter, node_rewriter
from pytensor.graph.rewriting.db import SequenceDB

_graphs: Any = WeakSet()
"""All live FunctionGraphs, to find the one that contains a node."""


def _of_node_alone(function: Any) -> bool:
    """Whether `function` takes only the node, as in Theano; PyTensor passes the graph first."""
    plain = [p for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(plain) == 1


def local_optimizer(tracks: Any, inplace: bool = False, requirements: Any = ()) -> Any:
    """`theano.gof.local_optimizer`: a decorator that turns a function of (node) or (fgraph, node) into a node rewriter.

    `tracks` lists the Ops to visit; all nodes are visited if it is empty or None.
    """

    def decorate(f: Any) -> Any:
        if not _of_node_alone(f):
            return node_rewriter(tracks or None, inplace, requirements)(f)

        def called(fgraph: Any, node: Any) -> Any:
            return f(node)

        called.__name__, called.__doc__ = f.__name__, f.__doc__
        return node_rewriter(tracks or None, inplace, requirements)(called)

    return decorate


class LocalOptimizer(NodeRewriter):
    """`theano.gof.LocalOptimizer`: base class of node rewriters whose `transform` may take only the node."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        transform = vars(cls).get("transform")
        if transform is not None and len(inspect.signature(transform).parameters) == 2:
            cls.transform = lambda self, fgraph, node: transform(self, node)


def register(plain: Any) -> Any:
    """Wraps `SequenceDB.register` so that it also accepts Theano's positional position: register(name, obj, position, *tags)."""

    def _register(self: Any, name: str, obj: Any, *tags: Any, **kwargs: Any) -> Any:
        if tags and (isinstance(tags[0], (int, float)) or tags[0] == "last"):
            kwargs.setdefault("position", tags[0])
            tags = tags[1:]
        return plain(self, name, obj, *tags, **kwargs)

    return _register


def _graph(self: Any) -> Any:
    """The FunctionGraph that contains this node or Variable. Raises AttributeError if there is none."""
    for graph in _graphs:
        if self in (graph.apply_nodes if isinstance(self, Apply) else graph.variables):
            return graph
    raise AttributeError("fgraph")


def _optimize(self: Any, fgraph: Any, *args: Any, **kwargs: Any) -> Any:
    """`Optimizer.optimize(fgraph)` of Theano: calls `rewrite`."""
    return self.rewrite(fgraph, *args, **kwargs)


def apply(origin: str) -> None:
    """Replaces SequenceDB.register, and adds `fgraph` to nodes and Variables, `clients` to Variables and `optimize` to graph rewriters."""
    SequenceDB.register = register(SequenceDB.register)
    plain = FunctionGraph.__init__

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        _graphs.add(self)
        plain(self, *args, **kwargs)

    FunctionGraph.__init__ = __init__
    Apply.fgraph = property(_graph)
    Variable.fgraph = property(_graph)
    Variable.clients = property(lambda self: list(_graph(self).clients.get(self, ())))
    GraphRewriter.optimize = _optimize
