"""Scan Ops tell of their inner graph and of which input belongs to which output as Theano's do."""

import functools
from typing import Any

from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply
from pytensor.scan.op import Scan

from .test_values import with_values_after, without


def _remembering(init: Any) -> Any:
    """`__init__` that keeps the inner graph as it was written: PyTensor copies it onto inputs of its own."""

    @functools.wraps(init)
    def __init__(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        init(self, inputs, outputs, *args, **kwargs)
        self.legacy_inner_graph = (list(inputs), list(outputs))

    return __init__


def _of_node_too(method: Any) -> Any:
    """A method that picks from a list of outer inputs or outputs, and here also from those of a node."""

    @functools.wraps(method)
    def pick(self: Any, variables: Any) -> Any:
        if isinstance(variables, Apply):
            variables = variables.outputs if method.__name__.endswith("_outs") else variables.inputs
        return method(self, variables)

    return pick


def apply(origin: str) -> None:
    """Gives Scan the attributes `inputs`, `outputs` and `var_mappings`."""
    for op in (Scan, OpFromGraph):
        op.__init__ = _remembering(op.__init__)
    Scan.__init__ = without(Scan.__init__)
    Scan.pullback = with_values_after(Scan.pullback)
    Scan.pushforward = with_values_after(Scan.pushforward)
    for name in dir(Scan):
        if name.startswith("outer_"):
            setattr(Scan, name, _of_node_too(getattr(Scan, name)))
    Scan.inputs = property(lambda self: list(self.inner_inputs))
    Scan.outputs = property(lambda self: list(self.inner_outputs))
    Scan.var_mappings = property(lambda self: self.get_oinp_iinp_iout_oout_mappings())
