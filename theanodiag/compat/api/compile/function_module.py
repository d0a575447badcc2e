"""Serves `theano.compile.function_module` from PyTensor's compile.executor, compile.maker and compile.aliasing."""

from typing import Any

from pytensor.compile.aliasing import Supervisor, alias_root, infer_reuse_pattern, insert_deepcopy, view_tree_set
from pytensor.compile.executor import DUPLICATE, AliasedMemoryError, Function
from pytensor.compile.maker import FunctionMaker, UnusedInputError

from ...behaviour.functions import convert_function_input, orig_function


def std_fgraph(input_specs: Any, output_specs: Any, accept_inplace: bool = False) -> Any:
    """(FunctionGraph, its further outputs for updates) of a function with these input and output specifications."""
    return FunctionMaker.create_fgraph(input_specs, output_specs, accept_inplace)


def fgraph_updated_vars(fgraph: Any, expanded_inputs: Any) -> Any:
    """Updated input -> the output that holds its new value."""
    updated = [(i, e) for i, e in zip(fgraph.inputs, expanded_inputs) if e.update is not None]
    return {i: out for (i, _), out in zip(reversed(updated), reversed(fgraph.outputs))}
