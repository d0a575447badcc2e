"""Convolutions and softmaxes by PyTorch's own functions."""

from typing import Any

import torch
from pytensor.link.pytorch.dispatch import pytorch_funcify
from torch.nn import functional

from ..ops.conv.base import Forward, GradInputs, GradWeights
from ..ops.conv.kernels import Geometry
from ..ops.crossentropy import CrossentropySoftmax1HotWithBiasDx, CrossentropySoftmaxArgmax1HotWithBias
from ..ops.softmax import LogSoftmax, Softmax, SoftmaxGrad, SoftmaxWithBias
from .pytorch import by_perform

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
    """Whether PyTorch has this convolution: over two or three axes, with shared filters."""
    return op.convdim in _CONVOLUTIONS and not op.unshared


def _flip(filters: Any, op: Any) -> Any:
    return torch.flip(filters, tuple(range(2, filters.ndim))) if op.filter_flip else filters


def _around(images: Any, geometry: Geometry) -> Any:
    """Images with their padding; a negative padding cuts off."""
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


def _spatial(told: Any) -> tuple[int, ...]:
    """Spatial shape that a gradient Op receives as its last inputs."""
    vector = len(told) == 1 and isinstance(told[0], torch.Tensor) and told[0].ndim == 1
    return tuple(int(n) for n in (told[0] if vector else told))


@pytorch_funcify.register(GradWeights)
def _grad_weights(op: Any, node: Any = None, **kwargs: Any) -> Any:
    if not _plain(op) or len(node.inputs) < 3:
        return by_perform(op, node=node, **kwargs)

    @torch._dynamo.disable
    def gradient(images: Any, top: Any, *told: Any) -> Any:
        kernel, dtype = _spatial(told), torch.promote_types(images.dtype, top.dtype)
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
    def gradient(filters: Any, top: Any, *told: Any) -> Any:
        image, dtype = _spatial(told), torch.promote_types(filters.dtype, top.dtype)
        images = torch.zeros((top.shape[0], filters.shape[1] * op.num_groups, *image), dtype=dtype, requires_grad=True)
        geometry = op.geometry(tuple(filters.shape[-op.convdim :]))
        with torch.enable_grad():
            out = _convolved(images, _flip(filters.to(dtype), op), geometry)
        return torch.autograd.grad(out, images, top.to(dtype))[0]

    return gradient
