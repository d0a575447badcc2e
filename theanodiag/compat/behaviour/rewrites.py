"""Optimisations that users wrote for Theano are accepted: functions of a node alone, positions as plain arguments."""

import inspect
from typing import Any
from weakref import WeakSet

from pytensor.graph.basic import Apply, Variable
from pytensor.graph.fg import FunctionGraph
from pytensor.graph.rewriting.basic import GraphRewriter, NodeRewriter, node_rewriter
from pytensor.graph.rewriting.db import SequenceDB

_graphs: Any = WeakSet()
"""All graphs that live, so that a node can be asked for its own."""


def _of_node_alone(function: Any) -> bool:
    """Whether a rewrite takes the node only, as in Theano; PyTensor's take the graph first."""
    plain = [p for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(plain) == 1


def local_optimizer(tracks: Any, inplace: bool = False, requirements: Any = ()) -> Any:
    """The decorator that makes a rewrite of a function; `tracks` may be empty or None for all nodes."""

    def decorate(f: Any) -> Any:
        if not _of_node_alone(f):
            return node_rewriter(tracks or None, inplace, requirements)(f)

        def called(fgraph: Any, node: Any) -> Any:
            return f(node)

        called.__name__, called.__doc__ = f.__name__, f.__doc__
        return node_rewriter(tracks or None, inplace, requirements)(called)

    return decorate


class LocalOptimizer(NodeRewriter):
    """Base class of rewrites of one node; `transform` takes the node alone."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        transform = vars(cls).get("transform")
        if transform is not None and len(inspect.signature(transform).parameters) == 2:
            cls.transform = lambda self, fgraph, node: transform(self, node)


def register(plain: Any) -> Any:
    """`SequenceDB.register(name, obj, position, *tags)`, and PyTensor's with a keyword."""

    def _register(self: Any, name: str, obj: Any, *tags: Any, **kwargs: Any) -> Any:
        if tags and (isinstance(tags[0], (int, float)) or tags[0] == "last"):
            kwargs.setdefault("position", tags[0])
            tags = tags[1:]
        return plain(self, name, obj, *tags, **kwargs)

    return _register


def _graph(self: Any) -> Any:
    """The FunctionGraph that holds a node or variable; AttributeError where none does."""
    for graph in _graphs:
        if self in (graph.apply_nodes if isinstance(self, Apply) else graph.variables):
            return graph
    raise AttributeError("fgraph")


def _optimize(self: Any, fgraph: Any, *args: Any, **kwargs: Any) -> Any:
    """`Optimizer.optimize`."""
    return self.rewrite(fgraph, *args, **kwargs)


def apply(origin: str) -> None:
    """Changes the register of rewrites, and lets nodes know their graph."""
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
