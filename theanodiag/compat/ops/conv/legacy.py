"""ConvOp, Theano's first convolution Op (`theano.tensor.nnet.conv` and `theano.tensor.signal.conv`)."""

import warnings
from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply
from pytensor.tensor.basic import as_tensor_variable, get_scalar_constant_value
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.type import TensorType, discrete_dtypes

from ..op import LegacyOp, flags, is_connected
from . import kernels
from .abstract import AbstractConv2d
from .base import flipped
from .shapes import get_conv_output_shape, get_conv_shape_1axis


def _spread(x: Any, lengths: tuple[int, ...], top_aligned: bool = True) -> Any:
    """`x` with zeros inserted between its elements, so that its spatial axes have these `lengths`."""
    steps = [int(np.ceil(wanted / n)) for wanted, n in zip(lengths, x.shape[2:])]
    starts = [0 if top_aligned else (wanted - n * s - 1 + s) % s for wanted, n, s in zip(lengths, x.shape[2:], steps)]
    spread = np.zeros((*x.shape[:2], *lengths), x.dtype)
    spread[(slice(None), slice(None)) + tuple(slice(start, None, step) for start, step in zip(starts, steps))] = x
    return spread


class ConvOp(LegacyOp):
    """Convolution of images (batch, channels, rows, columns) with flipped filters, in the mode "valid" or "full".

    `dx` and `dy` are the strides; the logical shapes insert zeros between elements. Options that selected loops in C are stored and have no
    effect.
    """

    __props__ = (
        "imshp", "kshp", "nkern", "bsize", "dx", "dy", "out_mode", "imshp_logical", "kshp_logical", "kshp_logical_top_aligned",
    )  # fmt: skip

    def __init__(
        self,
        imshp: Any = None,
        kshp: Any = None,
        nkern: Any = None,
        bsize: Any = None,
        dx: Any = 1,
        dy: Any = 1,
        output_mode: str = "valid",
        unroll_batch: Any = None,
        unroll_kern: Any = None,
        unroll_patch: Any = None,
        imshp_logical: Any = None,
        kshp_logical: Any = None,
        kshp_logical_top_aligned: bool = True,
        verbose: Any = 0,
        version: Any = -1,
        direction_hint: Any = "forward",
        openmp: Any = None,
    ) -> None:
        imshp = (None,) * 3 if imshp is None else tuple(imshp)
        kshp = (None,) * 2 if kshp is None else tuple(kshp)
        if len(imshp) == 2:
            imshp = (1, *imshp)
        if len(imshp) != 3:
            raise ValueError("len(imshp) must be 2 or 3, got {}".format(len(imshp)))
        if len(kshp) != 2:
            raise ValueError("len(kshp) must be 2, got {}".format(len(kshp)))
        strides = {"dx": 1 if dx is None else dx, "dy": 1 if dy is None else dy}
        for name, stride in strides.items():
            if int(stride) != stride:
                raise TypeError("ConvOp.__init__ param {} must be an int".format(name), stride)
        if (unroll_batch or unroll_kern) and not self.has_all_shape(imshp, kshp, nkern, bsize):
            raise Exception("In ConvOp, when using unroll_batch and unroll_nkern, all shape are needed")
        self.imshp, self.kshp, self.nkern, self.bsize = imshp, kshp, nkern, bsize
        self.dx, self.dy = int(strides["dx"]), int(strides["dy"])
        self.verbose, self.version, self.direction_hint = verbose, version, direction_hint
        self.unroll_batch, self.unroll_kern, self.unroll_patch = unroll_batch, unroll_kern, unroll_patch
        self.imshp_logical = imshp if imshp_logical is None else tuple(imshp_logical)
        self.kshp_logical = kshp if kshp_logical is None else tuple(kshp_logical)
        if len(self.imshp_logical) != 3:
            raise ValueError("len(imshp_logical) must be 3, got {}".format(len(self.imshp_logical)))
        if len(self.kshp_logical) != 2:
            raise ValueError("len(kshp_logical) must be 2, got {}".format(len(self.kshp_logical)))
        self.kshp_logical_top_aligned = kshp_logical_top_aligned
        if output_mode not in ("valid", "full"):
            raise Exception("Mode {} not implemented".format(output_mode))
        self.out_mode = output_mode
        images, filters = (None, *self.imshp_logical), (None, None, *self.kshp_logical)
        self.outshp = get_conv_output_shape(images, filters, output_mode, (self.dx, self.dy))[2:]
        self.fulloutshp = get_conv_output_shape(images, filters, output_mode, (1, 1))[2:]
        if any(n is not None and n <= 0 for n in self.outshp):
            message = (
                "Bad size for the output shape. Verify that [post-supersampling] input shape ({}) and kern shape({}) are ok. "
                "(Hint: kerns must fit inside image in valid mode)"
            )
            raise Exception(message.format(self.imshp_logical, self.kshp_logical))

    @staticmethod
    def has_all_shape(imshp: Any, kshp: Any, nkern: Any = 1, bsize: Any = 1) -> bool:
        """Returns whether all lengths are known, that is, none is None."""
        return None not in (nkern, bsize, *imshp, *kshp)

    @staticmethod
    def getOutputShape(inshp: Any, kshp: Any, stride: Any = (1, 1), mode: str = "valid") -> tuple[Any, ...]:
        """Returns the spatial shape of the output; deprecated, with a warning."""
        warnings.warn("The method `getOutputShape` is deprecated use`get_conv_output_shape` instead.", stacklevel=2)
        return tuple(get_conv_shape_1axis(i, k, mode, d) for i, k, d in zip(inshp, kshp, stride))

    def make_node(self, inputs: Any, kerns: Any) -> Apply:
        """Makes the Apply node for two 4-d tensors of one dtype. Raises TypeError for another rank, and NotImplementedError for different
        dtypes.
        """
        images, filters = as_tensor_variable(inputs), as_tensor_variable(kerns)
        if images.ndim != 4:
            message = 'ConvOp (make_node) requires input be a 4D tensor; received "{}" ({} dims)'
            raise TypeError(message.format(inputs, images.ndim))
        if filters.ndim != 4:
            raise TypeError("make_node requires 4D tensor of kernels")
        if images.type.dtype != filters.type.dtype:
            message = "The image and the kernel must have the same type.inputs({}), kerns({})"
            raise NotImplementedError(message.format(images.dtype, filters.dtype))
        pattern = [images.type.broadcastable[0], filters.type.broadcastable[0], self.outshp[0] == 1, self.outshp[1] == 1]
        return Apply(self, [images, filters], [TensorType(images.type.dtype, shape=flags(pattern))()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the output; lengths given to the constructor take precedence over those of the inputs."""
        (batch, *image), (count, _, *kernel) = shapes
        image = [n if declared is None else declared for declared, n in zip(self.imshp_logical, image)]
        kernel = [n if declared is None else declared for declared, n in zip(self.kshp_logical, kernel)]
        batch, count = batch if self.bsize is None else self.bsize, count if self.nkern is None else self.nkern
        return [get_conv_output_shape((batch, *image), (count, None, *kernel), self.out_mode, (self.dx, self.dy))]

    def _check(self, name: str, declared: tuple[Any, ...], actual: tuple[int, ...]) -> None:
        if None not in declared and declared != actual:
            message = "The {} provided at build time is different from the one passed at run time"
            raise ValueError(message.format(name), declared, actual)

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls kernels.forward, after inserting zeros if logical shapes require them.

        Raises ValueError if an input's length differs from the one given to the constructor.
        """
        images, filters = inputs
        self._check("image shape", self.imshp, images.shape[1:])
        self._check("filter shape", self.kshp, filters.shape[2:])
        self._check("batch size", (self.bsize,), images.shape[:1])
        self._check("number of filters", (self.nkern,), filters.shape[:1])
        if self.imshp != self.imshp_logical:
            images = _spread(images, self.imshp_logical[1:])
        if self.kshp != self.kshp_logical:
            filters = _spread(filters, self.kshp_logical, self.kshp_logical_top_aligned)
        full = [(n - 1, n - 1) if self.out_mode == "full" else (0, 0) for n in filters.shape[2:]]
        geometry = kernels.Geometry((full[0], full[1]), (self.dx, self.dy), (1, 1))
        output_storage[0][0] = kernels.forward(images, flipped(filters, 2), geometry)

    def _differentiable(self) -> Any:
        """AbstractConv2d with the same options. Raises NotImplementedError if Theano's ConvOp has no gradient for them."""
        if self.imshp != self.imshp_logical or self.kshp != self.kshp_logical:
            raise NotImplementedError("ConvOp has no gradient where logical shapes are given")
        if self.out_mode == "valid" and (self.dx, self.dy) != (1, 1):
            raise NotImplementedError(
                "ERROR: ConvOp.grad is now disabled for 'valid' convolutions with stride != (1, 1); "
                "call theano.tensor.nnet.conv2d() instead."
            )
        if self.dx not in (1, 2) or self.dy not in (1, 2):
            raise NotImplementedError(
                "ERROR: We disable ConvOp.grad now when dx or dy are greater than 2; use theano.tensor.nnet.conv2d()."
            )
        if (self.dx, self.dy) != (1, 1) and not self.has_all_shape(self.imshp, self.kshp, self.nkern, self.bsize):
            raise Exception("ConvOp.grad when dx!=1 or dy!=1 we must have all the optional shape information")
        known = None if None in (self.bsize, *self.imshp) else (self.bsize, *self.imshp)
        filters = None if None in (self.nkern, self.imshp[0], *self.kshp) else (self.nkern, self.imshp[0], *self.kshp)
        return AbstractConv2d(known, filters, self.out_mode, (self.dx, self.dy))

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of the equivalent AbstractConv2d."""
        op = self._differentiable()
        return op.pullback(inputs, [op(*inputs)], cotangents)

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """Returns the sum of the convolutions of each tangent with the other input: the Op is linear in each input."""
        terms = [self(tangents[0], inputs[1])] if is_connected(tangents[0]) else []
        terms += [self(inputs[0], tangents[1])] if is_connected(tangents[1]) else []
        return [sum(terms[1:], terms[0])] if terms else [DisconnectedType()()]


def _numbers(shape: Any, name: str) -> Any:
    """`shape` as ints and None; NotScalarConstantError, naming `name`, where a length is symbolic."""
    if shape is None:
        return None
    lengths: list[Any] = []
    for length in shape:
        if length is None:
            lengths.append(None)
            continue
        try:
            value = get_scalar_constant_value(as_tensor_variable(length))
        except NotScalarConstantError:
            message = "The convolution need that the shape information are constant values. We got {} for the {} parameter"
            raise NotScalarConstantError(message.format(length, name)) from None
        if str(np.asarray(value).dtype) not in discrete_dtypes:
            raise AssertionError("{} must hold integers, got {}".format(name, length))
        lengths.append(int(value))
    return lengths


def conv2d(
    input: Any,
    filters: Any,
    image_shape: Any = None,
    filter_shape: Any = None,
    border_mode: str = "valid",
    subsample: Any = (1, 1),
    **kargs: Any,
) -> Any:
    """`theano.tensor.nnet.conv.conv2d`: ConvOp of `input` and `filters`; deprecated, with a warning."""
    warnings.warn("theano.tensor.nnet.conv.conv2d is deprecated. Use theano.tensor.nnet.conv2d instead.", stacklevel=2)
    image_shape, filter_shape = _numbers(image_shape, "image_shape"), _numbers(filter_shape, "filter_shape")
    if image_shape and filter_shape and None not in (image_shape[1], filter_shape[1]) and image_shape[1] != filter_shape[1]:
        raise AssertionError("images of shape {} do not fit filters of shape {}".format(image_shape, filter_shape))
    nkern, kshp = (filter_shape[0], filter_shape[2:]) if filter_shape is not None else (None, None)
    bsize, imshp = (image_shape[0], image_shape[1:]) if image_shape is not None else (None, None)
    op = ConvOp(output_mode=border_mode, dx=subsample[0], dy=subsample[1], imshp=imshp, kshp=kshp, nkern=nkern, bsize=bsize, **kargs)
    return op(input, filters)


def signal_conv2d(
    input: Any,
    filters: Any,
    image_shape: Any = None,
    filter_shape: Any = None,
    border_mode: str = "valid",
    subsample: Any = (1, 1),
    **kargs: Any,
) -> Any:
    """`theano.tensor.signal.conv.conv2d`: convolves each image with each filter, without channels.

    Both are one matrix or a stack of matrices; an axis of the result is left out where the input has no stack.
    """
    images, kernels_ = as_tensor_variable(input), as_tensor_variable(filters)
    if images.ndim not in (2, 3) or kernels_.ndim not in (2, 3):
        raise AssertionError("images and filters must have 2 or 3 dimensions, got {} and {}".format(images.ndim, kernels_.ndim))
    shapes: dict[str, Any] = {}
    if filter_shape and image_shape:
        shapes["bsize"] = image_shape[0] if images.ndim == 3 else 1
        shapes["imshp"] = (1, *image_shape[-2:])
        shapes["nkern"] = filter_shape[0] if kernels_.ndim == 3 else 1
        shapes["kshp"] = filter_shape[-2:]
    op = ConvOp(output_mode=border_mode, dx=subsample[0], dy=subsample[1], **shapes, **kargs)
    stacks = [x.dimshuffle(0, "x", 1, 2) if x.ndim == 3 else x.dimshuffle("x", "x", 0, 1) for x in (images, kernels_)]
    output = op(*stacks)
    if images.ndim == 2 and kernels_.ndim == 2:
        return output[0, 0]
    if images.ndim == 2:
        return output[0]
    return output[:, 0] if kernels_.ndim == 2 else output
