"""Linkers and MonitorMode with callbacks that take (position, node, thunks...): serves `theano.gof.link` and
`theano.compile.monitormode`."""

import inspect
from typing import Any

from pytensor.compile.debug.monitormode import MonitorMode as _MonitorMode
from pytensor.link.basic import Container, Linker, LocalLinker, PerformLinker
from pytensor.link.basic import WrapLinker as _WrapLinker
from pytensor.link.utils import gc_helper, raise_with_op, streamline


def _with_graph(wrapper: Any) -> Any:
    """Converts `wrapper` to PyTensor's form, in which the graph is the first argument."""
    parameters = list(inspect.signature(wrapper).parameters.values())
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(plain) != (2 if several else 3):
        return wrapper

    def called(fgraph: Any, i: Any, node: Any, *thunks: Any) -> Any:
        return wrapper(i, node, *thunks)

    return called


class WrapLinker(_WrapLinker):
    """Linker that calls `wrapper(i, node, *thunks)` for each node; the wrapper runs the thunks."""

    def __init__(self, linkers: Any, wrapper: Any) -> None:
        super().__init__(linkers, _with_graph(wrapper))


def WrapLinkerMany(linkers: Any, wrappers: Any) -> Any:
    """WrapLinker that calls each of `wrappers` in order."""
    called = [_with_graph(wrapper) for wrapper in wrappers]

    def wrapper(fgraph: Any, i: Any, node: Any, *thunks: Any) -> None:
        for each in called:
            each(fgraph, i, node, *thunks)

    return _WrapLinker(linkers, wrapper)


def _callback_with_graph(callback: Any) -> Any:
    """Converts `callback` to PyTensor's form, in which the graph is the first argument."""
    if callback is None or len(inspect.signature(callback).parameters) != 3:
        return callback

    def called(fgraph: Any, i: Any, node: Any, fn: Any) -> None:
        callback(i, node, fn)

    return called


class MonitorMode(_MonitorMode):
    """Mode that calls `pre_func` before and `post_func` after each thunk."""

    def __init__(self, pre_func: Any = None, post_func: Any = None, optimizer: Any = "default", linker: Any = None, **kwargs: Any) -> None:
        self.pre_func = pre_func
        self.post_func = post_func
        super().__init__(_callback_with_graph(pre_func), _callback_with_graph(post_func), optimizer=optimizer, linker=linker, **kwargs)

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> Any:
        """Returns a copy, with another optimizer if one is given."""
        return type(self)(self.pre_func, self.post_func, optimizer or self.provided_optimizer)


def detect_nan(i: Any, node: Any, fn: Any) -> None:
    """A callback that prints the node `node` with its inputs and outputs if an output contains a NaN."""
    import numpy
    import pytensor

    for output in fn.outputs:
        if not isinstance(output[0], numpy.random.RandomState) and numpy.isnan(output[0]).any():
            import sys

            sys.stdout.write("*** NaN detected ***\n")
            pytensor.printing.debugprint(node)
            sys.stdout.write("Inputs : %s\n" % [i[0] for i in fn.inputs])
            sys.stdout.write("Outputs: %s\n" % [o[0] for o in fn.outputs])
            break
