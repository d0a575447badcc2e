"""Attributes of Theano's Scan Ops: their inner graph, and which outer input belongs to which output."""

import functools
from typing import Any

from pytensor.compile.builders import OpFromGraph
from pytensor.graph.basic import Apply
from pytensor.scan.op import Scan

from .test_values import with_values_after, without


def _remembering(init: Any) -> Any:
    """Wraps `__init__` so that it keeps the given inner graph as `legacy_inner_graph`: PyTensor copies it to its own inputs."""

    @functools.wraps(init)
    def __init__(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        init(self, inputs, outputs, *args, **kwargs)
        self.legacy_inner_graph = (list(inputs), list(outputs))

    return __init__


def _of_node_too(method: Any) -> Any:
    """Wraps an `outer_*` method so that it accepts a node besides a list of the outer inputs or outputs."""

    @functools.wraps(method)
    def pick(self: Any, variables: Any, **options: Any) -> Any:
        if isinstance(variables, Apply):
            variables = variables.outputs if method.__name__.endswith("_outs") else variables.inputs
        return method(self, variables, **options)

    return pick


def _of_info(self: Any, name: str) -> Any:
    """The attribute `name` of this Scan's `info`."""
    return getattr(self.info, name)


COUNTS = {
    **{n: n for n in "n_seqs n_mit_mot n_mit_mot_outs mit_mot_out_slices n_mit_sot n_sit_sot n_nit_sot tap_array as_while".split()},
    "n_shared_outs": "n_untraced_sit_sot",
}
"""Attribute of Theano's Scan Op that describes its inputs and outputs -> its name in PyTensor's `Scan.info`."""


def apply(origin: str) -> None:
    """Adds `inputs`, `outputs`, `var_mappings` and counts to Scan, and lets its `outer_*` methods accept nodes."""
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
    for old, new in COUNTS.items():
        if not hasattr(Scan, old):
            setattr(Scan, old, property(functools.partial(_of_info, name=new)))
