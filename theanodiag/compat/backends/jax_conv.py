"""Convolutions in JAX by lax.conv_general_dilated, and their gradients by its linear transpose."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from pytensor.link.jax.dispatch import jax_funcify

from ..ops.conv.base import Forward, GradInputs, GradWeights
from ..ops.conv.conv3d2d import DiagonalSubtensor, IncDiagonalSubtensor, get_diagonal_subtensor_view
from ..ops.conv.kernels import Geometry, check
from ..ops.conv.legacy import ConvOp
from .jax import lengths


def _flip(filters: Any, ndim: int) -> Any:
    return jnp.flip(filters, tuple(range(filters.ndim - ndim, filters.ndim)))


def _shared(images: Any, filters: Any, geometry: Geometry) -> Any:
    return lax.conv_general_dilated(
        images,
        filters,
        window_strides=geometry.strides,
        padding=geometry.pads,
        rhs_dilation=geometry.dilations,
        feature_group_count=geometry.groups,
    )


def _unshared(images: Any, filters: Any, geometry: Geometry) -> Any:
    """Convolution with filters (filters, *output, channels / groups, *kernel), different at each output position."""
    n, groups = geometry.ndim, geometry.groups
    kernel, output = filters.shape[-n:], filters.shape[1 : 1 + n]
    patches = lax.conv_general_dilated_patches(
        images, kernel, window_strides=geometry.strides, padding=geometry.pads, rhs_dilation=geometry.dilations
    )
    size, places = int(np.prod(kernel)), int(np.prod(output))
    patches = patches.reshape(images.shape[0], groups, images.shape[1] // groups * size, places)
    weights = filters.reshape(groups, filters.shape[0] // groups, places, -1)
    values = jnp.einsum("ngdp,gfpd->ngfp", patches, weights)
    return values.reshape(images.shape[0], filters.shape[0], *output)


def convolve(images: Any, filters: Any, op: Any) -> Any:
    """Forward convolution with the options of `op`."""
    geometry = op.geometry(filters.shape[-op.convdim :])
    check(images.shape, filters.shape, geometry)
    dtype = jnp.result_type(images, filters)
    filters = _flip(filters, op.convdim) if op.filter_flip else filters
    return (_unshared if op.unshared else _shared)(images.astype(dtype), filters.astype(dtype), geometry)


@jax_funcify.register(Forward)
def _forward(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype
    return lambda images, filters: convolve(images, filters, op).astype(dtype)


def _told(op: Any, node: Any, told: Any, derive: Any, shapes: Any, what: str) -> tuple[int, ...]:
    """Spatial shape that a gradient Op receives, or `derive(*shapes)` where it receives none; errors name `what`."""
    if not told:
        return tuple(int(n) for n in derive(*shapes))
    return lengths(told[0] if len(told) == 1 and np.ndim(told[0]) else told, what)


@jax_funcify.register(GradWeights)
def _grad_weights(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype

    def gradient(images: Any, top: Any, *told: Any) -> Any:
        kernel = _told(op, node, told, getattr(op, "_kernel", None), (images.shape, top.shape), "the filters of a convolution")
        per_group = images.shape[1] // op.num_groups
        places = top.shape[2:] if op.unshared else ()
        common = jnp.result_type(images, top)
        filters = jax.ShapeDtypeStruct((top.shape[1], *places, per_group, *kernel), common)
        images, top = images.astype(common), top.astype(common)
        (value,) = jax.linear_transpose(lambda w: convolve(images, w, op), filters)(top)
        return value.astype(dtype)

    return gradient


@jax_funcify.register(GradInputs)
def _grad_inputs(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype

    def gradient(filters: Any, top: Any, *told: Any) -> Any:
        image = _told(op, node, told, getattr(op, "_image", None), (filters.shape, top.shape), "the images of a convolution")
        common = jnp.result_type(filters, top)
        channels = filters.shape[-op.convdim - 1] * op.num_groups
        images = jax.ShapeDtypeStruct((top.shape[0], channels, *image), common)
        filters, top = filters.astype(common), top.astype(common)
        (value,) = jax.linear_transpose(lambda x: convolve(x, filters, op), images)(top)
        return value.astype(dtype)

    return gradient


@jax_funcify.register(ConvOp)
def _conv_op(op: Any, node: Any = None, **kwargs: Any) -> Any:
    if op.imshp != op.imshp_logical or op.kshp != op.kshp_logical:
        raise NotImplementedError("JAX: logical shapes of ConvOp are not implemented; run this function with mode='FAST_RUN'")

    def conv(images: Any, filters: Any) -> Any:
        pads = tuple((n - 1, n - 1) if op.out_mode == "full" else (0, 0) for n in filters.shape[2:])
        return _shared(images, _flip(filters, 2), Geometry(pads, (op.dx, op.dy), (1, 1)))

    return conv


def _places(shape: Any, i0: int, i1: int) -> Any:
    """Index of each element of the diagonal view in the flattened array of this shape."""
    return get_diagonal_subtensor_view(np.arange(int(np.prod(shape))).reshape(shape), i0, i1)


@jax_funcify.register(DiagonalSubtensor)
def _diagonal(op: Any, node: Any = None, **kwargs: Any) -> Any:
    return lambda x, i0, i1: x.ravel()[_places(x.shape, *lengths((i0, i1), "axes"))]


@jax_funcify.register(IncDiagonalSubtensor)
def _inc_diagonal(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def add(x: Any, i0: Any, i1: Any, amount: Any) -> Any:
        return x.ravel().at[_places(x.shape, *lengths((i0, i1), "axes"))].add(amount).reshape(x.shape)

    return add
