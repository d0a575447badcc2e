"""Base classes of the convolution Ops: forward, gradient of the filters, gradient of the images. The gradient of each uses the others."""

from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable

from ..op import LegacyOp, is_connected, no_gradient, restored
from . import kernels
from .shapes import border_mode_to_pad, get_conv_output_shape


def flipped(filters: Any, ndim: int) -> Any:
    """`filters`, an array or a Variable, with its last `ndim` axes reversed."""
    return filters[(slice(None),) * (filters.ndim - ndim) + (slice(None, None, -1),) * ndim]


class Convolution(LegacyOp):
    """Base class: the options of a convolution over `convdim` spatial axes."""

    convdim: int
    """Number of spatial axes."""
    border_mode: Any
    """"valid", "full", "half", or the padding of each spatial axis, in elements."""
    subsample: tuple[int, ...]
    """Stride along each spatial axis, in elements."""
    filter_dilation: tuple[int, ...]
    """Distance between the elements of a filter along each spatial axis; 1 is a dense filter."""
    num_groups: int = 1
    """Number of groups into which channels and filters are divided."""
    unshared: bool = False
    """Whether each output position has filters of its own."""
    filter_flip: bool = False
    """Whether filters are reversed along their spatial axes: True is a convolution, False a cross-correlation."""

    def geometry(self, kernel: tuple[int, ...]) -> kernels.Geometry:
        """Returns the padding, strides, dilations and groups for filters of the spatial shape `kernel`."""
        dilated = [(k - 1) * d + 1 for k, d in zip(kernel, self.filter_dilation)]
        pads = border_mode_to_pad(self.border_mode, self.convdim, dilated)
        subsample, dilation = tuple(map(int, self.subsample)), tuple(map(int, self.filter_dilation))
        return kernels.Geometry(pads, subsample, dilation, int(self.num_groups), bool(self.unshared))

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Always False: the result may be far larger than the inputs."""
        return False

    def check_filters(self, filters: Variable) -> None:
        """Raises TypeError unless `filters` has the rank of this Op's filters."""
        wanted = 2 + (2 if self.unshared else 1) * self.convdim
        if filters.type.ndim != wanted:
            raise TypeError("kern must be {}D tensor{}".format(wanted, " for unshared convolution" if self.unshared else ""))

    def check_images(self, images: Variable, name: str) -> None:
        """Raises TypeError, naming `name`, unless `images` has the rank of images and outputs, 2 + convdim."""
        if images.type.ndim != 2 + self.convdim:
            raise TypeError("{} must be {}D tensor".format(name, 2 + self.convdim))

    def other(self, kind: str) -> Any:
        """Returns the Op with the same options for another direction: "forward", "weights" or "inputs"."""
        raise NotImplementedError

    def lengths_of(self, node: Apply, inputs: Any) -> tuple[int, ...]:
        """Returns the spatial shape that a gradient Op receives as its third input (a vector) or from its third input on (a scalar for each
        axis).
        """
        sizes = inputs[2:]
        values = np.asarray(sizes[0]) if len(sizes) == 1 else sizes
        return tuple(int(v) for v in values)

    def same_lengths(self, shape: Variable, inputs: Any) -> Any:
        """Returns the spatial shape of the Variable `shape`, as the last argument of a gradient Op."""
        return shape.shape[-self.convdim :]


class Forward(Convolution):
    """(images, filters) -> outputs."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the convolution by kernels.forward."""
        images, filters = map(np.asarray, inputs)
        if self.filter_flip:
            filters = flipped(filters, self.convdim)
        values = kernels.forward(images, filters, self.geometry(filters.shape[-self.convdim :]))
        output_storage[0][0] = values.astype(node.outputs[0].dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Computes the symbolic shape of the outputs by shapes.get_conv_output_shape."""
        images, filters = shapes
        return [get_conv_output_shape(images, filters, self.border_mode, self.subsample, self.filter_dilation)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of images and filters by the Ops for "inputs" and "weights"."""
        images, filters = inputs
        (top,) = cotangents
        d_images = self.other("inputs")(filters, top, self.same_lengths(images, inputs))
        d_filters = self.other("weights")(images, top, self.same_lengths(filters, inputs))
        return [restored(d_images, images), restored(d_filters, filters)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """Returns the sum of the convolutions of each tangent with the other input: the Op is linear in each input."""
        images, filters = inputs
        terms = []
        if is_connected(tangents[0]):
            terms.append(self(tangents[0], filters))
        if is_connected(tangents[1]):
            terms.append(self(images, tangents[1]))
        return [sum(terms[1:], terms[0])] if terms else [DisconnectedType()()]


class GradWeights(Convolution):
    """(images, gradient of the outputs, spatial shape of the filters) -> gradient of the filters."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the gradient of the filters by kernels.wrt_filters."""
        images, top = map(np.asarray, inputs[:2])
        kernel = self.kernel_shape(node, images.shape, top.shape, inputs)
        values = kernels.wrt_filters(images, top, kernel, self.geometry(kernel))
        if self.filter_flip:
            values = flipped(values, self.convdim)
        output_storage[0][0] = np.ascontiguousarray(values, dtype=node.outputs[0].dtype)

    def kernel_shape(self, node: Apply, images: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Returns the spatial shape of the filters, which the Op gets as its third and later inputs."""
        return self.lengths_of(node, inputs)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Images and gradient are connected to the output, the spatial shape is not."""
        return [[True], [True]] + [[False]] * (len(node.inputs) - 2)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of images and outputs' gradient by the Ops for "inputs" and "forward"."""
        images, top = inputs[:2]
        (filters,) = cotangents
        d_images = self.other("inputs")(filters, top, self.same_lengths(images, inputs))
        d_top = self.other("forward")(images, filters)
        return [restored(d_images, images), restored(d_top, top), *no_gradient(inputs[2:])]


class GradInputs(Convolution):
    """(filters, gradient of the outputs, spatial shape of the images) -> gradient of the images."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the gradient of the images by kernels.wrt_images."""
        filters, top = map(np.asarray, inputs[:2])
        if self.filter_flip:
            filters = flipped(filters, self.convdim)
        image = self.image_shape(node, filters.shape, top.shape, inputs)
        values = kernels.wrt_images(filters, top, image, self.geometry(filters.shape[-self.convdim :]))
        output_storage[0][0] = values.astype(node.outputs[0].dtype, copy=False)

    def image_shape(self, node: Apply, filters: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Returns the spatial shape of the images, given by the Op's inputs from the third on."""
        return self.lengths_of(node, inputs)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Filters and gradient are connected to the output, the spatial shape is not."""
        return [[True], [True]] + [[False]] * (len(node.inputs) - 2)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of filters and outputs' gradient by the Ops for "weights" and "forward"."""
        filters, top = inputs[:2]
        (images,) = cotangents
        d_filters = self.other("weights")(images, top, self.same_lengths(filters, inputs))
        d_top = self.other("forward")(images, filters)
        return [restored(d_filters, filters), restored(d_top, top), *no_gradient(inputs[2:])]
