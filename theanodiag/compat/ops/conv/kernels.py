"""Convolutions with numpy: patches are copied block by block, and BLAS does the arithmetic.

All functions compute cross-correlations: the caller flips the filters. Internally the batch is the last axis, (channels, *space, batch), so
that patches are copied in long contiguous runs however small the image is. A block holds as many images (or, of a single image, as many
rows) as fit the cache. Shapes: images (batch, channels, *image), filters (filters, channels / groups, *kernel), outputs (batch, filters,
*output). Unshared filters are (filters, *output, channels / groups, *kernel). The number of spatial axes is that of `pads`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

BLOCK_BYTES = 4 << 20
"""About how many bytes of patches are copied at a time: they are read again at once, so they should still be in the cache."""
Array = Any
"""A numpy array."""


@dataclass(frozen=True)
class Geometry:
    """Padding, strides, dilations and groups of a convolution."""

    pads: tuple[tuple[int, int], ...]
    """Zeros before and behind each spatial axis, in elements."""
    strides: tuple[int, ...]
    """Stride along each spatial axis, in elements."""
    dilations: tuple[int, ...]
    """Distance between neighbouring elements of a filter along each spatial axis."""
    groups: int = 1
    """Number of groups into which channels and filters are divided."""
    unshared: bool = False
    """Whether each output position has filters of its own."""

    @property
    def ndim(self) -> int:
        """Number of spatial axes."""
        return len(self.pads)

    def output(self, image: tuple[int, ...], kernel: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the spatial shape of the output for the spatial shapes of image and filters."""
        return tuple(
            (size + sum(pad) - (k - 1) * dilation - 1) // stride + 1
            for size, k, pad, stride, dilation in zip(image, kernel, self.pads, self.strides, self.dilations)
        )

    def padded(self, image: tuple[int, ...]) -> tuple[int, ...]:
        """Returns the spatial shape of the image with its padding."""
        return tuple(size + sum(pad) for size, pad in zip(image, self.pads))


@dataclass(frozen=True)
class _Block:
    """A range of images and a range of their output rows, computed at once."""

    images: slice
    rows: slice


def _blocks(batch: int, rows: int, bytes_per_row: int) -> Iterator[_Block]:
    """Divides all images and rows into blocks of about BLOCK_BYTES of patches."""
    per_image = rows * bytes_per_row
    if per_image <= BLOCK_BYTES:
        count = max(1, BLOCK_BYTES // max(1, per_image))
        for start in range(0, batch, count):
            yield _Block(slice(start, min(batch, start + count)), slice(0, rows))
        return
    count = max(1, BLOCK_BYTES // bytes_per_row)
    for image in range(batch):
        for start in range(0, rows, count):
            yield _Block(slice(image, image + 1), slice(start, min(rows, start + count)))


def _batch_last(x: Array) -> Array:
    """(batch, channels, *space) as (channels, *space, batch), contiguous."""
    return np.ascontiguousarray(np.moveaxis(x, 0, -1))


def _pad(x: Array, pads: tuple[tuple[int, int], ...]) -> Array:
    """(batch, channels, *space) as (channels, *space with zeros around, batch), contiguous."""
    if not any(map(any, pads)):
        return _batch_last(x)
    batch, channels, *space = x.shape
    padded = np.zeros((channels, *(size + sum(pad) for size, pad in zip(space, pads)), batch), x.dtype)
    padded[(slice(None),) + tuple(slice(pad[0], pad[0] + size) for size, pad in zip(space, pads))] = np.moveaxis(x, 0, -1)
    return padded


def _patches(padded: Array, kernel: tuple[int, ...], output: tuple[int, ...], geometry: Geometry, first_row: int) -> Array:
    """A view (channels, *kernel, *output, batch) of images (channels, *space, batch); `output` may be some of its rows only."""
    channel, *space, batch = padded.strides
    start = padded[:, first_row * geometry.strides[0] :]
    return as_strided(
        start,
        (padded.shape[0], *kernel, *output, padded.shape[-1]),
        (
            channel,
            *(step * dilation for step, dilation in zip(space, geometry.dilations)),
            *(step * stride for step, stride in zip(space, geometry.strides)),
            batch,
        ),
        writeable=False,
    )


def _flat_filters(filters: Array, geometry: Geometry) -> Array:
    """(groups, filters / groups, channels / groups * kernel)."""
    return filters.reshape(geometry.groups, filters.shape[0] // geometry.groups, -1)


def _padded_blocks(images: Array, rows: int, bytes_per_row: int, pads: tuple[tuple[int, int], ...]) -> Iterator[tuple[_Block, Array]]:
    """Yields the blocks, each with its padded images; images whose rows fill several blocks are padded once."""
    last, padded = None, None
    for block in _blocks(len(images), rows, bytes_per_row):
        if block.images != last:
            last, padded = block.images, _pad(images[block.images], pads)
        yield block, padded


def _empty(shape: tuple[int, ...]) -> bool:
    return 0 in shape


def check(images: tuple[int, ...], filters: tuple[int, ...], geometry: Geometry) -> None:
    """Raises ValueError unless filters of shape `filters` fit images of shape `images` in channels and groups."""
    channels, groups = images[1], geometry.groups
    if channels % groups:
        raise ValueError("the number of input channels ({}) must be divisible by num_groups ({})".format(channels, groups))
    if filters[0] % groups:
        raise ValueError("the number of filters ({}) must be divisible by num_groups ({})".format(filters[0], groups))
    per_filter = filters[-geometry.ndim - 1]
    if channels // groups != per_filter:
        message = "images of {} channels in {} group(s) do not fit filters of {} input channels: images {}, filters {}"
        raise ValueError(message.format(channels, groups, per_filter, images, filters))


def forward(images: Array, filters: Array, geometry: Geometry) -> Array:
    """Returns the cross-correlation of images with filters: (batch, filters, *output). ValueError for shapes that do not fit."""
    check(images.shape, filters.shape, geometry)
    kernel = filters.shape[-geometry.ndim :]
    output = geometry.output(images.shape[2:], kernel)
    if min(output) <= 0:
        message = "filters of {} are larger than images of {} with their border: the output would be {}"
        raise ValueError(message.format(kernel, images.shape[2:], output))
    batch, groups, n_filters = len(images), geometry.groups, len(filters)
    dtype = np.result_type(images, filters)
    result = np.empty((batch, n_filters, *output), dtype)
    if _empty(result.shape) or _empty(filters.shape):
        result[...] = 0
        return result
    if geometry.unshared and filters.shape[1 : 1 + geometry.ndim] != output:
        message = "unshared filters are made for an output of {}, but the output is {}"
        raise ValueError(message.format(filters.shape[1 : 1 + geometry.ndim], output))
    flat = _flat_filters_unshared(filters, geometry) if geometry.unshared else _flat_filters(filters, geometry).astype(dtype, copy=False)
    depth = images.shape[1] * prod(kernel)
    images = images.astype(dtype, copy=False)
    for block, padded in _padded_blocks(images, output[0], depth * prod(output[1:]) * dtype.itemsize, geometry.pads):
        part = (block.rows.stop - block.rows.start, *output[1:])
        patches = _patches(padded, kernel, part, geometry, block.rows.start)
        count = padded.shape[-1]
        if geometry.unshared:
            columns = _columns_by_place(patches, geometry)
            weights = flat.reshape(groups, *output, *flat.shape[2:])[:, block.rows].reshape(groups, prod(part), *flat.shape[2:])
            values = np.matmul(columns, weights)  # (groups, places, images, filters / groups)
            values = values.transpose(2, 0, 3, 1)
        else:
            columns = _contiguous(patches).reshape(groups, depth // groups, -1)
            values = np.matmul(flat, columns).reshape(groups, n_filters // groups, prod(part), count)
            values = values.transpose(3, 0, 1, 2)
        result[block.images, :, block.rows] = values.reshape(count, n_filters, *part)
        del patches, columns, values  # freed before the next block allocates its own
    return result


def _contiguous(patches: Array) -> Array:
    """The patches themselves if they are contiguous (a kernel of length 1), else a copy."""
    return np.ascontiguousarray(patches)


def _columns_by_place(patches: Array, geometry: Geometry) -> Array:
    """(channels, *kernel, *output, batch) as (groups, places, batch, channels / groups * kernel)."""
    n, groups = geometry.ndim, geometry.groups
    channels, kernel, output, batch = patches.shape[0], patches.shape[1 : 1 + n], patches.shape[1 + n : 1 + 2 * n], patches.shape[-1]
    split = np.ascontiguousarray(patches).reshape(groups, channels // groups * prod(kernel), prod(output), batch)
    return np.ascontiguousarray(split.transpose(0, 2, 3, 1))


def _flat_filters_unshared(filters: Array, geometry: Geometry) -> Array:
    """(filters, *output, channels / groups, *kernel) as (groups, places, channels / groups * kernel, filters / groups)."""
    places = prod(filters.shape[1 : 1 + geometry.ndim])
    split = filters.reshape(geometry.groups, len(filters) // geometry.groups, places, -1)
    return np.ascontiguousarray(split.transpose(0, 2, 3, 1))


def wrt_filters(images: Array, top: Array, kernel: tuple[int, ...], geometry: Geometry) -> Array:
    """Returns the gradient of filters with the spatial shape `kernel`, from the gradient `top` of the output. Raises ValueError for shapes
    that do not fit.
    """
    batch, channels = images.shape[:2]
    groups, n_filters = geometry.groups, top.shape[1]
    output = top.shape[2:]
    if geometry.output(images.shape[2:], kernel) != output or len(top) != batch:
        message = "images {} with filters of {} have an output of {}, but its gradient has the shape {}"
        raise ValueError(message.format(images.shape, kernel, (batch, n_filters, *geometry.output(images.shape[2:], kernel)), top.shape))
    if channels % groups or n_filters % groups:
        raise ValueError("{} channels and {} filters must be divisible by num_groups ({})".format(channels, n_filters, groups))
    dtype = np.result_type(images, top)
    depth = channels * prod(kernel)
    places = prod(output)
    if geometry.unshared:
        total = np.zeros((groups, places, depth // groups, n_filters // groups), dtype)
    else:
        total = np.zeros((groups, n_filters // groups, depth // groups), dtype)
    if not _empty(images.shape) and not _empty(top.shape) and depth:
        images = images.astype(dtype, copy=False)
        for block, padded in _padded_blocks(images, output[0], depth * prod(output[1:]) * dtype.itemsize, geometry.pads):
            part = (block.rows.stop - block.rows.start, *output[1:])
            patches = _patches(padded, kernel, part, geometry, block.rows.start)
            here = _batch_last(top[block.images, :, block.rows].astype(dtype, copy=False))
            if geometry.unshared:
                columns = _columns_by_place(patches, geometry)  # (groups, places, images, depth)
                gradient = here.reshape(groups, n_filters // groups, prod(part), -1).transpose(0, 2, 3, 1)
                rows = slice(block.rows.start * prod(output[1:]), block.rows.stop * prod(output[1:]))
                total[:, rows] += np.matmul(columns.swapaxes(-1, -2), gradient)
            else:
                columns = _contiguous(patches).reshape(groups, depth // groups, -1)
                gradient = here.reshape(groups, n_filters // groups, -1)
                total += np.matmul(gradient, columns.swapaxes(-1, -2))
            del patches, columns
    if geometry.unshared:
        return total.transpose(0, 3, 1, 2).reshape(n_filters, *output, channels // groups, *kernel)
    return total.reshape(n_filters, channels // groups, *kernel)


def wrt_images(filters: Array, top: Array, image: tuple[int, ...], geometry: Geometry) -> Array:
    """Returns the gradient of images with the spatial shape `image`, from the gradient `top` of the output. Raises ValueError for shapes
    that do not fit.
    """
    kernel = filters.shape[-geometry.ndim :]
    groups, n_filters, batch = geometry.groups, len(filters), len(top)
    output = top.shape[2:]
    expected = geometry.output(image, kernel)
    if expected != output or top.shape[1] != n_filters:
        message = "invalid input_shape: images of {} with filters of {} have an output of {}, but its gradient has the shape {}"
        raise ValueError(message.format(image, kernel, (batch, n_filters, *expected), top.shape))
    if n_filters % groups:
        raise ValueError("the number of filters ({}) must be divisible by num_groups ({})".format(n_filters, groups))
    per_group = filters.shape[-geometry.ndim - 1]
    channels = per_group * groups
    dtype = np.result_type(filters, top)
    result = np.zeros((batch, channels, *image), dtype)
    if _empty(filters.shape) or _empty(top.shape) or _empty(result.shape):
        return result
    if geometry.unshared:
        flat = _flat_filters_unshared(filters, geometry).swapaxes(-1, -2)  # (groups, places, filters, depth)
    else:
        flat = _flat_filters(filters, geometry).astype(dtype, copy=False).swapaxes(-1, -2)
    depth = channels * prod(kernel)
    inside = tuple(slice(pad[0], pad[0] + size) for size, pad in zip(image, geometry.pads))
    space = geometry.padded(image)
    current: Array = None
    images_of_current = None
    for block in _blocks(batch, output[0], depth * prod(output[1:]) * dtype.itemsize):
        count = block.images.stop - block.images.start
        if block.images != images_of_current:
            if images_of_current is not None:
                result[images_of_current] = np.moveaxis(current[(slice(None),) + inside], -1, 0)
            current, images_of_current = np.zeros((channels, *space, count), dtype), block.images
        part = (block.rows.stop - block.rows.start, *output[1:])
        here = _batch_last(top[block.images, :, block.rows].astype(dtype, copy=False))
        if geometry.unshared:
            rows = slice(block.rows.start * prod(output[1:]), block.rows.stop * prod(output[1:]))
            gradient = here.reshape(groups, n_filters // groups, prod(part), count).transpose(0, 2, 3, 1)
            columns = np.matmul(gradient, flat[:, rows]).transpose(0, 3, 1, 2)
        else:
            columns = np.matmul(flat, here.reshape(groups, n_filters // groups, -1))
        columns = columns.reshape(channels, *kernel, *part, count)
        _add_patches(current, columns, kernel, part, geometry, block.rows.start)
        del columns
    result[images_of_current] = np.moveaxis(current[(slice(None),) + inside], -1, 0)
    return result


def _add_patches(
    images: Array, columns: Array, kernel: tuple[int, ...], output: tuple[int, ...], geometry: Geometry, first_row: int
) -> None:
    """Adds each patch in `columns` to the place in the images from which it was taken, with one addition for each element of the kernel."""
    for offset in product(*map(range, kernel)):
        starts = [o * dilation for o, dilation in zip(offset, geometry.dilations)]
        starts[0] += first_row * geometry.strides[0]
        places = tuple(slice(s, s + (size - 1) * stride + 1, stride) for s, size, stride in zip(starts, output, geometry.strides))
        images[(slice(None),) + places] += columns[(slice(None),) + offset]
