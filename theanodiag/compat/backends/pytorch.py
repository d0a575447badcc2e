"""PyTorch: Ops without a conversion run by their own `perform`, between two compiled parts of the graph."""

import warnings
from typing import Any

import numpy as np
import torch
from pytensor.graph.op import Op
from pytensor.link.pytorch.dispatch import pytorch_funcify
from pytensor.tensor.type import DenseTensorType

from .. import node_origin
from ..behaviour.thunks import Thunk


def _to_numpy(value: Any, variable: Any, own: bool) -> Any:
    """`value` as `perform` takes it; a copy that it may overwrite where `own`."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(variable.type, DenseTensorType):
        return np.array(value, dtype=dtype) if own else np.asarray(value, dtype=dtype)
    if dtype is not None and isinstance(value, (np.ndarray, np.generic, int, float)):
        return np.asarray(value, dtype=dtype)[()]
    return value


def _to_torch(value: Any, variable: Any) -> Any:
    """An output of `perform` as PyTorch takes it: copied, without negative strides."""
    return torch.from_numpy(np.array(value, dtype=variable.type.dtype)) if isinstance(variable.type, DenseTensorType) else value


@pytorch_funcify.register(Op)
def by_perform(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """PyTorch conversion that runs the node by its own Python code, with a warning; NotImplementedError without a node."""
    if node is None:
        raise NotImplementedError("PyTorch has no Op {}".format(type(op).__name__))
    warnings.warn("{}PyTorch has no Op {}: it runs outside of it".format(node_origin.prefix(node), type(op).__name__), stacklevel=2)
    thunk = Thunk(op, node)

    @torch._dynamo.disable
    def perform(*values: Any) -> Any:
        arrays = [_to_numpy(value, variable, place in thunk.destroyed) for place, (value, variable) in enumerate(zip(values, node.inputs))]
        results = [_to_torch(value, variable) for value, variable in zip(thunk(arrays), node.outputs)]
        return results[0] if len(results) == 1 else tuple(results)

    return perform


def _or_perform(convert: Any) -> Any:
    """PyTensor's conversion `convert`, replaced by by_perform for Ops that it refuses."""

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Any:
        try:
            return convert(op, node=node, **kwargs)
        except NotImplementedError:
            return by_perform(op, node=node, **kwargs)

    return converted


for _kind, _convert in list(pytorch_funcify.registry.items()):
    if isinstance(_kind, type) and issubclass(_kind, Op) and _kind is not Op:
        pytorch_funcify.register(_kind, _or_perform(_convert))
