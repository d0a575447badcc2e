"""PyTorch: what it has no conversion of is run by its own `perform`, between two parts that are compiled."""

import warnings
from typing import Any

import numpy as np
import torch
from pytensor.graph.op import Op
from pytensor.link.pytorch.dispatch import pytorch_funcify
from pytensor.tensor.type import DenseTensorType

from .. import node_origin
from .thunks import Thunk


def _to_numpy(value: Any, variable: Any, own: bool) -> Any:
    """A value as `perform` takes it; `own`: in memory that it may write to."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(variable.type, DenseTensorType):
        return np.array(value, dtype=dtype) if own else np.asarray(value, dtype=dtype)
    if dtype is not None and isinstance(value, (np.ndarray, np.generic, int, float)):
        return np.asarray(value, dtype=dtype)[()]
    return value


def _to_torch(value: Any, variable: Any) -> Any:
    """What `perform` gave, as PyTorch takes it: no negative strides, its own memory."""
    return torch.from_numpy(np.array(value, dtype=variable.type.dtype)) if isinstance(variable.type, DenseTensorType) else value


@pytorch_funcify.register(Op)
def by_perform(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """A function that runs a node by its own thunk."""
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
    """A conversion of PyTensor's; where it refuses, `perform`."""

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Any:
        try:
            return convert(op, node=node, **kwargs)
        except NotImplementedError:
            return by_perform(op, node=node, **kwargs)

    return converted


for _kind, _convert in list(pytorch_funcify.registry.items()):
    if isinstance(_kind, type) and issubclass(_kind, Op) and _kind is not Op:
        pytorch_funcify.register(_kind, _or_perform(_convert))
