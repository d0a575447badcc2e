"""Scan Ops tell of their inner graph and of which input belongs to which output as Theano's do."""

import functools
from typing import Any

from pytensor.compile.builders import OpFromGraph
from pytensor.scan.op import Scan


def _remembering(init: Any) -> Any:
    """`__init__` that keeps the inner graph as it was written: PyTensor copies it onto inputs of its own."""

    @functools.wraps(init)
    def __init__(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        init(self, inputs, outputs, *args, **kwargs)
        self.legacy_inner_graph = (list(inputs), list(outputs))

    return __init__


def apply(origin: str) -> None:
    """Gives Scan the attributes `inputs`, `outputs` and `var_mappings`."""
    for op in (Scan, OpFromGraph):
        op.__init__ = _remembering(op.__init__)
    Scan.inputs = property(lambda self: list(self.inner_inputs))
    Scan.outputs = property(lambda self: list(self.inner_outputs))
    Scan.var_mappings = property(lambda self: self.get_oinp_iinp_iout_oout_mappings())
