"""PyTorch: Ops without a conversion run with their own `perform`, between two compiled parts of the graph."""

from typing import Any

import numpy as np
import torch
from pytensor.graph.op import Op
from pytensor.link.pytorch.dispatch import pytorch_funcify
from pytensor.tensor.type import DenseTensorType
from torch.nn import functional

from ..behaviour.c_code import Thunk
from ..errors import node_prefix
from ..notes import note
from ..ops.conv.base import Forward, GradInputs, GradWeights
from ..ops.conv.kernels import Geometry
from ..ops.crossentropy import CrossentropySoftmax1HotWithBiasDx, CrossentropySoftmaxArgmax1HotWithBias
from ..ops.softmax import LogSoftmax, Softmax, SoftmaxGrad, SoftmaxWithBias


def _to_numpy(value: Any, variable: Any, own: bool) -> Any:
    """`value` in the form that `perform` takes; if `own`, a copy that it may overwrite."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu().numpy()
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(variable.type, DenseTensorType):
        return np.array(value, dtype=dtype) if own else np.asarray(value, dtype=dtype)
    if dtype is not None and isinstance(value, (np.ndarray, np.generic, int, float)):
        return np.asarray(value, dtype=dtype)[()]
    return value


def _to_torch(value: Any, variable: Any) -> Any:
    """An output of `perform` in the form that PyTorch takes: copied, without negative strides."""
    return torch.from_numpy(np.array(value, dtype=variable.type.dtype)) if isinstance(variable.type, DenseTensorType) else value


@pytorch_funcify.register(Op)
def by_perform(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """Returns a PyTorch conversion that runs the node with its own Python code, with a message. Raises NotImplementedError
    without a node.
    """
    if node is None:
        raise NotImplementedError("PyTorch has no Op {}".format(type(op).__name__))
    note("{}PyTorch has no Op {}: it runs outside of it".format(node_prefix(node), type(op).__name__))
    thunk = Thunk(op, node)

    @torch._dynamo.disable
    def perform(*values: Any) -> Any:
        arrays = [_to_numpy(value, variable, place in thunk.destroyed) for place, (value, variable) in enumerate(zip(values, node.inputs))]
        results = [_to_torch(value, variable) for value, variable in zip(thunk(arrays), node.outputs)]
        return results[0] if len(results) == 1 else tuple(results)

    return perform


def _or_perform(convert: Any) -> Any:
    """PyTensor's conversion `convert`, with by_perform for the Ops that it rejects."""

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Any:
        try:
            return convert(op, node=node, **kwargs)
        except NotImplementedError:
            return by_perform(op, node=node, **kwargs)

    return converted


for _kind, _convert in list(pytorch_funcify.registry.items()):
    if isinstance(_kind, type) and issubclass(_kind, Op) and _kind is not Op:
        pytorch_funcify.register(_kind, _or_perform(_convert))


_CONVOLUTIONS = {2: functional.conv2d, 3: functional.conv3d}


@pytorch_funcify.register(Softmax)
def _softmax(op: Any, **kwargs: Any) -> Any:
    return lambda x: torch.softmax(x, 1)


@pytorch_funcify.register(LogSoftmax)
def _log_softmax(op: Any, **kwargs: Any) -> Any:
    return lambda x: torch.log_softmax(x, 1)


@pytorch_funcify.register(SoftmaxWithBias)
def _softmax_with_bias(op: Any, **kwargs: Any) -> Any:
    return lambda x, b: torch.softmax(x + b, 1).to(x.dtype)


@pytorch_funcify.register(SoftmaxGrad)
def _softmax_grad(op: Any, **kwargs: Any) -> Any:
    def gradient(dy: Any, sm: Any) -> Any:
        product = dy * sm
        return (product - product.sum(1, keepdim=True) * sm).to(sm.dtype)

    return gradient


@pytorch_funcify.register(CrossentropySoftmaxArgmax1HotWithBias)
def _crossentropy(op: Any, **kwargs: Any) -> Any:
    def losses(x: Any, b: Any, classes: Any) -> Any:
        scores = x + b
        logarithms = torch.log_softmax(scores, 1)
        loss = -torch.gather(logarithms, 1, classes.long()[:, None])[:, 0]
        return loss.to(x.dtype), torch.exp(logarithms).to(x.dtype), scores.argmax(1).to(classes.dtype)

    return losses


@pytorch_funcify.register(CrossentropySoftmax1HotWithBiasDx)
def _crossentropy_dx(op: Any, **kwargs: Any) -> Any:
    def gradient(dy: Any, sm: Any, classes: Any) -> Any:
        there = classes.long()[:, None] == torch.arange(sm.shape[1])
        return ((sm - there.to(sm.dtype)) * dy.reshape(-1, 1)).to(sm.dtype)

    return gradient


def _plain(op: Any) -> bool:
    """Whether PyTorch supports this convolution: two or three axes, with shared filters."""
    return op.convdim in _CONVOLUTIONS and not op.unshared


def _flip(filters: Any, op: Any) -> Any:
    return torch.flip(filters, tuple(range(2, filters.ndim))) if op.filter_flip else filters


def _around(images: Any, geometry: Geometry) -> Any:
    """The images with their padding; a negative padding crops."""
    return functional.pad(images, [n for pad in reversed(geometry.pads) for n in pad])


def _convolved(images: Any, filters: Any, geometry: Geometry) -> Any:
    convolve = _CONVOLUTIONS[geometry.ndim]
    return convolve(_around(images, geometry), filters, None, geometry.strides, 0, geometry.dilations, geometry.groups)


@pytorch_funcify.register(Forward)
def _forward(op: Any, node: Any = None, **kwargs: Any) -> Any:
    if not _plain(op):
        return by_perform(op, node=node, **kwargs)

    def convolve(images: Any, filters: Any) -> Any:
        dtype = torch.promote_types(images.dtype, filters.dtype)
        geometry = op.geometry(tuple(filters.shape[-op.convdim :]))
        return _convolved(images.to(dtype), _flip(filters.to(dtype), op), geometry)

    return convolve


def _spatial(sizes: Any) -> tuple[int, ...]:
    """Spatial shape that a gradient Op receives as its last inputs."""
    vector = len(sizes) == 1 and isinstance(sizes[0], torch.Tensor) and sizes[0].ndim == 1
    return tuple(int(n) for n in (sizes[0] if vector else sizes))


@pytorch_funcify.register(GradWeights)
def _grad_weights(op: Any, node: Any = None, **kwargs: Any) -> Any:
    if not _plain(op) or len(node.inputs) < 3:
        return by_perform(op, node=node, **kwargs)

    @torch._dynamo.disable
    def gradient(images: Any, top: Any, *sizes: Any) -> Any:
        kernel, dtype = _spatial(sizes), torch.promote_types(images.dtype, top.dtype)
        filters = torch.zeros((top.shape[1], images.shape[1] // op.num_groups, *kernel), dtype=dtype, requires_grad=True)
        geometry = op.geometry(kernel)
        with torch.enable_grad():
            out = _convolved(images.to(dtype), _flip(filters, op), geometry)
        return torch.autograd.grad(out, filters, top.to(dtype))[0]

    return gradient


@pytorch_funcify.register(GradInputs)
def _grad_inputs(op: Any, node: Any = None, **kwargs: Any) -> Any:
    if not _plain(op) or len(node.inputs) < 3:
        return by_perform(op, node=node, **kwargs)

    @torch._dynamo.disable
    def gradient(filters: Any, top: Any, *sizes: Any) -> Any:
        image, dtype = _spatial(sizes), torch.promote_types(filters.dtype, top.dtype)
        images = torch.zeros((top.shape[0], filters.shape[1] * op.num_groups, *image), dtype=dtype, requires_grad=True)
        geometry = op.geometry(tuple(filters.shape[-op.convdim :]))
        with torch.enable_grad():
            out = _convolved(images, _flip(filters.to(dtype), op), geometry)
        return torch.autograd.grad(out, images, top.to(dtype))[0]

    return gradient
