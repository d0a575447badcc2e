"""Convolutions in JAX with lax.conv_general_dilated and its linear transposes (gradients), and pooling with lax.reduce_window.

Gradients of pooling use one array operation for each offset in the window, so that every element equal to the maximum receives a gradient.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from pytensor.link.jax.dispatch import jax_funcify

from ...ops.conv.base import Forward, GradInputs, GradWeights
from ...ops.conv.conv3d2d import DiagonalSubtensor, IncDiagonalSubtensor, get_diagonal_subtensor_view
from ...ops.conv.kernels import Geometry, check
from ...ops.conv.legacy import ConvOp
from ...ops.pool import AveragePoolGrad, DownsampleFactorMaxGradGrad, MaxPoolGrad, MaxPoolRop, Pool
from .base import lengths


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
    """Returns the forward convolution with the options of `op`."""
    geometry = op.geometry(filters.shape[-op.convdim :])
    check(images.shape, filters.shape, geometry)
    dtype = jnp.result_type(images, filters)
    filters = _flip(filters, op.convdim) if op.filter_flip else filters
    return (_unshared if op.unshared else _shared)(images.astype(dtype), filters.astype(dtype), geometry)


@jax_funcify.register(Forward)
def _forward(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype
    return lambda images, filters: convolve(images, filters, op).astype(dtype)


def _sizes(op: Any, node: Any, sizes: Any, derive: Any, shapes: Any, what: str) -> tuple[int, ...]:
    """The spatial shape that a gradient Op receives, or `derive(*shapes)` if it receives none; errors mention `what`."""
    if not sizes:
        return tuple(int(n) for n in derive(*shapes))
    return lengths(sizes[0] if len(sizes) == 1 and np.ndim(sizes[0]) else sizes, what)


@jax_funcify.register(GradWeights)
def _grad_weights(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype

    def gradient(images: Any, top: Any, *sizes: Any) -> Any:
        kernel = _sizes(op, node, sizes, getattr(op, "_kernel", None), (images.shape, top.shape), "the filters of a convolution")
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

    def gradient(filters: Any, top: Any, *sizes: Any) -> Any:
        image = _sizes(op, node, sizes, getattr(op, "_image", None), (filters.shape, top.shape), "the images of a convolution")
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


def _windows(op: Any, where: Any) -> Any:
    return op.windows([lengths(values, "a pooling window") for values in where])


def _image(x: Any, windows: Any) -> tuple[int, ...]:
    return tuple(x.shape[x.ndim - windows.ndim :])


def _padding(image: Any, output: Any, windows: Any) -> list[tuple[int, int]]:
    """The padding (before, behind) of each axis with which the windows cover the image exactly; negative where the image is cut."""
    covered = windows.covered(output)
    return [(pad, reach - n - pad) for n, reach, pad in zip(image, covered, windows.pads)]


def _lowest(dtype: Any) -> Any:
    return np.array(-np.inf if np.dtype(dtype).kind == "f" else np.iinfo(dtype).min, dtype)


def _reduced(x: Any, windows: Any, start: Any, combine: Any) -> Any:
    leading = x.ndim - windows.ndim
    image = _image(x, windows)
    output = windows.output(image)
    if 0 in output or 0 in x.shape:
        return jnp.zeros((*x.shape[:leading], *output), x.dtype)
    padding = [(0, 0)] * leading + _padding(image, output, windows)
    cropped = lax.pad(x, start, [(min(0, low), min(0, high), 0) for low, high in padding])
    positive = [(max(0, low), max(0, high)) for low, high in padding]
    ones = (1,) * leading
    return lax.reduce_window(cropped, start, combine, (*ones, *windows.sizes), (*ones, *windows.strides), positive)


def _pooled(x: Any, windows: Any, mode: str) -> Any:
    if mode == "max":
        return _reduced(x, windows, _lowest(x.dtype), lax.max)
    total = _reduced(x, windows, np.zeros((), x.dtype), lax.add)
    if mode == "sum" or 0 in total.shape:
        return total
    image = _image(x, windows)
    return (total / windows.counts(image, windows.output(image), mode == "average_inc_pad").astype(x.dtype)).astype(x.dtype)


@jax_funcify.register(Pool)
def _pool(op: Any, node: Any = None, **kwargs: Any) -> Any:
    return lambda x, *where: _pooled(x, _windows(op, where), op.mode)


def _padded(x: Any, windows: Any, output: Any, fill: Any) -> Any:
    padding = _padding(_image(x, windows), output, windows)
    return lax.pad(x, fill, [(0, 0, 0)] * (x.ndim - windows.ndim) + [(low, high, 0) for low, high in padding])


def _at(x: Any, offset: Any, windows: Any, output: Any) -> Any:
    """The elements at `offset` in each window."""
    leading = x.ndim - windows.ndim
    stops = [o + (n - 1) * stride + 1 for o, n, stride in zip(offset, output, windows.strides)]
    return lax.slice(x, (0,) * leading + tuple(offset), (*x.shape[:leading], *stops), (1,) * leading + tuple(windows.strides))


def _put(part: Any, offset: Any, windows: Any, covered: Any) -> Any:
    """Zeros of shape `covered` with `part` at `offset` in each window: the transpose of _at."""
    leading = part.ndim - windows.ndim
    configuration = []
    for o, n, stride, reach in zip(offset, part.shape[leading:], windows.strides, covered):
        configuration.append((o, reach - o - (n - 1) * stride - 1, stride - 1))
    return lax.pad(part, np.zeros((), part.dtype), [(0, 0, 0)] * leading + configuration)


@jax_funcify.register(MaxPoolGrad)
def _max_pool_grad(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def gradient(x: Any, maxout: Any, gz: Any, *where: Any) -> Any:
        windows = _windows(op, where)
        output, image = _image(maxout, windows), _image(x, windows)
        if 0 in maxout.shape or 0 in x.shape:
            return jnp.zeros(x.shape, x.dtype)
        values = _padded(x, windows, output, _lowest(x.dtype))
        covered = windows.covered(output)
        total = jnp.zeros(values.shape, x.dtype)
        for offset in windows.offsets():
            part = jnp.where(_at(values, offset, windows, output) == maxout, gz, 0).astype(x.dtype)
            total = total + _put(part, offset, windows, covered)
        return _unpadded(total, image, output, windows)

    return gradient


def _unpadded(total: Any, image: Any, output: Any, windows: Any) -> Any:
    padding = _padding(image, output, windows)
    leading = total.ndim - windows.ndim
    return lax.pad(total, np.zeros((), total.dtype), [(0, 0, 0)] * leading + [(-low, -high, 0) for low, high in padding])


@jax_funcify.register(AveragePoolGrad)
def _average_pool_grad(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def gradient(x: Any, gz: Any, *where: Any) -> Any:
        windows = _windows(op, where)
        if 0 in gz.shape or 0 in x.shape:
            return jnp.zeros(x.shape, x.dtype)
        (value,) = jax.linear_transpose(lambda v: _pooled(v, windows, op.mode), jax.ShapeDtypeStruct(x.shape, gz.dtype))(gz)
        return value.astype(x.dtype)

    return gradient


@jax_funcify.register(DownsampleFactorMaxGradGrad)
def _max_pool_grad_grad(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def gradient(x: Any, maxout: Any, ggx: Any, *where: Any) -> Any:
        windows = _windows(op, where)
        output = _image(maxout, windows)
        total = jnp.zeros(maxout.shape, x.dtype)
        if 0 in maxout.shape:
            return total
        values, tangents = _padded(x, windows, output, _lowest(x.dtype)), _padded(ggx, windows, output, np.zeros((), ggx.dtype))
        for offset in windows.offsets():
            there = _at(tangents, offset, windows, output)
            total = total + jnp.where(_at(values, offset, windows, output) == maxout, there, 0)
        return total.astype(x.dtype)

    return gradient


@jax_funcify.register(MaxPoolRop)
def _max_pool_rop(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def pushed(x: Any, tangent: Any, *where: Any) -> Any:
        windows = _windows(op, where)
        output = windows.output(_image(x, windows))
        values, tangents = (_padded(v, windows, output, f) for v, f in ((x, _lowest(x.dtype)), (tangent, np.zeros((), tangent.dtype))))
        offsets = list(windows.offsets())
        candidates = jnp.stack([_at(values, o, windows, output) for o in offsets])
        there = jnp.stack([_at(tangents, o, windows, output) for o in offsets])
        return jnp.take_along_axis(there, candidates.argmax(0)[None], 0)[0]

    return pushed
