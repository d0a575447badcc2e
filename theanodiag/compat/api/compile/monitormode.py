"""Serves `theano.compile.monitormode`, whose callbacks take (position, node, thunk)."""

import inspect
from typing import Any

from pytensor.compile.debug.monitormode import MonitorMode as _MonitorMode


def _old(callback: Any) -> Any:
    """`callback` in PyTensor's form, which has the graph as first argument."""
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
        super().__init__(_old(pre_func), _old(post_func), optimizer=optimizer, linker=linker, **kwargs)

    def clone(self, link_kwargs: Any = None, optimizer: Any = "", **kwargs: Any) -> Any:
        """A copy with another optimizer, where one is given."""
        return type(self)(self.pre_func, self.post_func, optimizer or self.provided_optimizer)


def detect_nan(i: Any, node: Any, fn: Any) -> None:
    """Callback that prints the node `node` with its inputs and outputs where an output holds a NaN."""
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
