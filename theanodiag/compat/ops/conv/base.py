"""What the convolution Ops of all kinds share: the three directions, their arithmetic, and how each is the gradient of the others."""

from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable

from ..op import LegacyOp, is_connected, no_gradient, restored
from . import kernels
from .shapes import border_mode_to_pad, get_conv_output_shape


def flipped(filters: Any, ndim: int) -> Any:
    """Filters (an array or a variable) with their spatial axes turned round."""
    return filters[(slice(None),) * (filters.ndim - ndim) + (slice(None, None, -1),) * ndim]


class Convolution(LegacyOp):
    """A convolution over `convdim` axes in one direction."""

    convdim: int
    border_mode: Any
    subsample: tuple[int, ...]
    filter_dilation: tuple[int, ...]
    num_groups: int = 1
    unshared: bool = False
    filter_flip: bool = False
    """Whether the filters are turned round first (a convolution), or not (a correlation)."""

    def geometry(self, kernel: tuple[int, ...]) -> kernels.Geometry:
        """How filters of the spatial shape `kernel` move."""
        dilated = [(k - 1) * d + 1 for k, d in zip(kernel, self.filter_dilation)]
        pads = border_mode_to_pad(self.border_mode, self.convdim, dilated)
        subsample, dilation = tuple(map(int, self.subsample)), tuple(map(int, self.filter_dilation))
        return kernels.Geometry(pads, subsample, dilation, int(self.num_groups), bool(self.unshared))

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Not at compile time: the result may be far larger than its inputs."""
        return False

    def check_filters(self, filters: Variable, name: str = "kern") -> None:
        """Raises TypeError unless filters have as many axes as they should."""
        wanted = 2 + (2 if self.unshared else 1) * self.convdim
        if filters.type.ndim != wanted:
            raise TypeError("{} must be {}D tensor{}".format(name, wanted, " for unshared convolution" if self.unshared else ""))

    def check_images(self, images: Variable, name: str) -> None:
        """Raises TypeError unless images or outputs have as many axes as they should."""
        if images.type.ndim != 2 + self.convdim:
            raise TypeError("{} must be {}D tensor".format(name, 2 + self.convdim))

    def other(self, kind: str) -> Any:
        """The Op of the same options in another direction: 'forward', 'weights' or 'inputs'."""
        raise NotImplementedError

    def lengths_of(self, node: Apply, inputs: Any) -> tuple[int, ...]:
        """The spatial shape that a gradient Op is told in its last inputs."""
        told = inputs[2:]
        values = np.asarray(told[0]) if len(told) == 1 else told
        return tuple(int(v) for v in values)

    def same_lengths(self, shape: Variable, inputs: Any) -> Any:
        """The last arguments for an Op of another direction: the spatial shape of a variable."""
        return shape.shape[-self.convdim :]


class Forward(Convolution):
    """(images, filters) -> outputs."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """By kernels.forward."""
        images, filters = map(np.asarray, inputs)
        if self.filter_flip:
            filters = flipped(filters, self.convdim)
        values = kernels.forward(images, filters, self.geometry(filters.shape[-self.convdim :]))
        output_storage[0][0] = values.astype(node.outputs[0].dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """From those of both inputs."""
        images, filters = shapes
        return [get_conv_output_shape(images, filters, self.border_mode, self.subsample, self.filter_dilation)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """By the Ops of the other two directions."""
        images, filters = inputs
        (top,) = cotangents
        d_images = self.other("inputs")(filters, top, self.same_lengths(images, inputs))
        d_filters = self.other("weights")(images, top, self.same_lengths(filters, inputs))
        return [restored(d_images, images), restored(d_filters, filters)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """Linear in each input."""
        images, filters = inputs
        terms = []
        if is_connected(tangents[0]):
            terms.append(self(tangents[0], filters))
        if is_connected(tangents[1]):
            terms.append(self(images, tangents[1]))
        return [sum(terms[1:], terms[0])] if terms else [DisconnectedType()()]


class GradWeights(Convolution):
    """(images, gradient of outputs, spatial shape of filters) -> gradient of filters."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """By kernels.wrt_filters."""
        images, top = map(np.asarray, inputs[:2])
        kernel = self.kernel_shape(node, images.shape, top.shape, inputs)
        values = kernels.wrt_filters(images, top, kernel, self.geometry(kernel))
        if self.filter_flip:
            values = flipped(values, self.convdim)
        output_storage[0][0] = np.ascontiguousarray(values, dtype=node.outputs[0].dtype)

    def kernel_shape(self, node: Apply, images: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Spatial shape of the filters."""
        return self.lengths_of(node, inputs)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Nothing flows through the shape."""
        return [[True], [True]] + [[False]] * (len(node.inputs) - 2)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """By the Ops of the other two directions."""
        images, top = inputs[:2]
        (filters,) = cotangents
        d_images = self.other("inputs")(filters, top, self.same_lengths(images, inputs))
        d_top = self.other("forward")(images, filters)
        return [restored(d_images, images), restored(d_top, top), *no_gradient(inputs[2:])]


class GradInputs(Convolution):
    """(filters, gradient of outputs, spatial shape of images) -> gradient of images."""

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """By kernels.wrt_images."""
        filters, top = map(np.asarray, inputs[:2])
        if self.filter_flip:
            filters = flipped(filters, self.convdim)
        image = self.image_shape(node, filters.shape, top.shape, inputs)
        values = kernels.wrt_images(filters, top, image, self.geometry(filters.shape[-self.convdim :]))
        output_storage[0][0] = values.astype(node.outputs[0].dtype, copy=False)

    def image_shape(self, node: Apply, filters: tuple[int, ...], top: tuple[int, ...], inputs: Any) -> tuple[int, ...]:
        """Spatial shape of the images."""
        return self.lengths_of(node, inputs)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Nothing flows through the shape."""
        return [[True], [True]] + [[False]] * (len(node.inputs) - 2)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """By the Ops of the other two directions."""
        filters, top = inputs[:2]
        (images,) = cotangents
        d_filters = self.other("weights")(images, top, self.same_lengths(filters, inputs))
        d_top = self.other("forward")(images, filters)
        return [restored(d_filters, filters), restored(d_top, top), *no_gradient(inputs[2:])]
