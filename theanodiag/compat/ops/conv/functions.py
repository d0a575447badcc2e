"""Functions of `theano.tensor.nnet` that build convolutions, their gradients and upsampling."""

import warnings
from math import gcd
from typing import Any

import pytensor.tensor as pt
from pytensor import config
from pytensor.graph.basic import Constant, Variable
from pytensor.tensor import basic as tb
from pytensor.tensor.basic import as_tensor_variable

from ...old_names import Volumes
from .abstract import (
    AbstractConv2d,
    AbstractConv2d_gradInputs,
    AbstractConv2d_gradWeights,
    AbstractConv3d,
    AbstractConv3d_gradInputs,
    AbstractConv3d_gradWeights,
)


def abstract_conv2d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """`theano.tensor.nnet.abstract_conv.conv2d`: convolution of (batch, channels, rows, columns) with `filters`."""
    op = AbstractConv2d(input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared)
    return op(as_tensor_variable(input), as_tensor_variable(filters))


def conv2d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    filter_flip: bool = True,
    image_shape: Any = None,
    filter_dilation: Any = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
    **kwargs: Any,
) -> Any:
    """`theano.tensor.nnet.conv2d`: abstract_conv2d, with the argument names of older releases accepted.

    `image_shape` is the older name of `input_shape`, with a warning; further keywords are ignored with a warning, as in Theano.
    """
    if "imshp_logical" in kwargs or "kshp_logical" in kwargs:
        raise ValueError(
            "Keyword arguments 'imshp_logical' and 'kshp_logical' for conv2d are not supported anymore (and have not been a reliable way "
            "to perform upsampling). That feature is still available by calling theano.tensor.nnet.conv.conv2d() for the time being."
        )
    if kwargs:
        message = "{} are now deprecated in `tensor.nnet.abstract_conv.conv2d` interface and will be ignored."
        warnings.warn(message.format(kwargs.keys()), stacklevel=2)
    if image_shape is not None:
        message = "The `image_shape` keyword argument to `tensor.nnet.conv2d` is deprecated, it has been renamed to `input_shape`."
        warnings.warn(message, stacklevel=2)
        if input_shape is not None:
            raise ValueError("input_shape and image_shape should not be provided at the same time.")
        input_shape = image_shape
    return abstract_conv2d(
        input, filters, input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups, unshared
    )


def conv3d(
    input: Any,
    filters: Any,
    input_shape: Any = None,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """`theano.tensor.nnet.conv3d`: convolution over three spatial axes."""
    op = AbstractConv3d(input_shape, filter_shape, border_mode, subsample, filter_flip, filter_dilation, num_groups)
    return op(as_tensor_variable(input), as_tensor_variable(filters))


def _separable(conv: Any, abstract: Any, ones: tuple[int, ...], arguments: dict[str, Any]) -> Any:
    """Depthwise convolution (one group of filters for each channel), then a pointwise convolution that mixes the channels."""
    given = arguments
    flip = given["filter_flip"]
    image, depth = given["input_shape"], given["depthwise_filter_shape"]
    op = abstract(image, depth, given["border_mode"], given["subsample"], flip, given["filter_dilation"], num_groups=given["num_channels"])
    between = None if image is None or depth is None else op.output_shapes(None, [image, depth])[0]
    images = op(as_tensor_variable(given["input"]), as_tensor_variable(given["depthwise_filters"]))
    return conv(
        images,
        given["pointwise_filters"],
        input_shape=between,
        filter_shape=given["pointwise_filter_shape"],
        border_mode="valid",
        subsample=ones,
        filter_flip=flip,
        filter_dilation=ones,
        num_groups=1,
    )


def separable_conv2d(
    input: Any,
    depthwise_filters: Any,
    pointwise_filters: Any,
    num_channels: int,
    input_shape: Any = None,
    depthwise_filter_shape: Any = None,
    pointwise_filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1),
) -> Any:
    """`theano.tensor.nnet.separable_conv2d`: depthwise, then pointwise convolution over two spatial axes."""
    return _separable(conv2d, AbstractConv2d, (1, 1), locals())


def separable_conv3d(
    input: Any,
    depthwise_filters: Any,
    pointwise_filters: Any,
    num_channels: int,
    input_shape: Any = None,
    depthwise_filter_shape: Any = None,
    pointwise_filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1, 1),
) -> Any:
    """`theano.tensor.nnet.abstract_conv.separable_conv3d`: depthwise, then pointwise convolution over three spatial axes."""
    return _separable(conv3d, AbstractConv3d, (1, 1, 1), locals())


def _require(lengths: Any, name: str, symbolic: tuple[int, ...] = ()) -> None:
    """Raises ValueError unless each length is a constant or None; at the positions `symbolic`, a Variable is allowed but None is not."""
    for axis, length in enumerate(lengths):
        if axis in symbolic or axis - len(lengths) in symbolic:
            if not isinstance(length, (Variable, int)) and not hasattr(length, "__index__"):
                raise ValueError("{}[{}] must be a symbolic variable or a constant.".format(name, axis))
        elif not (length is None or isinstance(length, Constant) or hasattr(length, "__index__")):
            raise ValueError("{}[{}] must be a constant or None.".format(name, axis))


def _numbers(lengths: Any) -> list[Any]:
    """The lengths, with None in place of symbolic ones."""
    return [None if isinstance(n, Variable) and not isinstance(n, Constant) else n for n in lengths]


def _options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Selects the options of a gradient Op from `arguments`."""
    names = ("border_mode", "subsample", "filter_flip", "filter_dilation", "num_groups", "unshared")
    return {name: arguments[name] for name in names if name in arguments}


def _wrt_inputs(op: Any, ndim: int, arguments: dict[str, Any]) -> Any:
    given = arguments
    image, filters = given["input_shape"], given["filter_shape"]
    _require(image, "input_shape", symbolic=tuple(range(2, 2 + ndim)))
    if filters is not None:
        wanted = 2 + ndim * (2 if given.get("unshared") else 1)
        if len(filters) != wanted:
            raise ValueError("The length of filter_shape was {}, but we expected {}.".format(len(filters), wanted))
        _require(filters, "filter_shape")
    inputs = as_tensor_variable(given["filters"]), as_tensor_variable(given["output_grad"])
    return op(imshp=_numbers(image), kshp=filters, **_options(given))(*inputs, image[-ndim:])


def conv2d_grad_wrt_inputs(
    output_grad: Any,
    filters: Any,
    input_shape: Any,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """`theano.tensor.nnet.abstract_conv.conv2d_grad_wrt_inputs`: gradient of the images of conv2d."""
    return _wrt_inputs(AbstractConv2d_gradInputs, 2, locals())


def conv3d_grad_wrt_inputs(
    output_grad: Any,
    filters: Any,
    input_shape: Any,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """`theano.tensor.nnet.abstract_conv.conv3d_grad_wrt_inputs`: gradient of the images of conv3d."""
    return _wrt_inputs(AbstractConv3d_gradInputs, 3, locals())


def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    filter_shape: Any = None,
    border_mode: Any = "valid",
    input_dilation: Any = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """`theano.tensor.nnet.conv2d_transpose`: transposed convolution, the gradient of the images for stride `input_dilation`."""
    return conv2d_grad_wrt_inputs(
        input, filters, output_shape, filter_shape, border_mode, input_dilation, filter_flip, filter_dilation, num_groups, unshared
    )


def _wrt_weights(op: Any, ndim: int, arguments: dict[str, Any]) -> Any:
    given = arguments
    image, filters = given["input_shape"], given["filter_shape"]
    _require(filters, "filter_shape", symbolic=tuple(range(-ndim, 0)))
    if image is not None:
        _require(image, "input_shape")
    inputs = as_tensor_variable(given["input"]), as_tensor_variable(given["output_grad"])
    return op(imshp=image, kshp=_numbers(filters), **_options(given))(*inputs, filters[-ndim:])


def conv2d_grad_wrt_weights(
    input: Any,
    output_grad: Any,
    filter_shape: Any,
    input_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1),
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """`theano.tensor.nnet.abstract_conv.conv2d_grad_wrt_weights`: gradient of the filters of conv2d."""
    return _wrt_weights(AbstractConv2d_gradWeights, 2, locals())


def conv3d_grad_wrt_weights(
    input: Any,
    output_grad: Any,
    filter_shape: Any,
    input_shape: Any = None,
    border_mode: Any = "valid",
    subsample: Any = (1, 1, 1),
    filter_flip: bool = True,
    filter_dilation: Any = (1, 1, 1),
    num_groups: int = 1,
) -> Any:
    """`theano.tensor.nnet.abstract_conv.conv3d_grad_wrt_weights`: gradient of the filters of conv3d."""
    return _wrt_weights(AbstractConv3d_gradWeights, 3, locals())


def causal_conv1d(
    input: Any,
    filters: Any,
    filter_shape: Any,
    input_shape: Any = None,
    subsample: int = 1,
    filter_flip: bool = True,
    filter_dilation: int = 1,
    num_groups: int = 1,
    unshared: bool = False,
) -> Any:
    """Convolution over time of (batch, channels, steps), where each output depends only on its own and earlier steps.

    Raises ValueError unless input and filters have three dimensions.
    """
    images, kernels = as_tensor_variable(input), as_tensor_variable(filters)
    if images.ndim != 3:
        raise ValueError("Input should be 3D for causal convolution.")
    if kernels.ndim != 3:
        raise ValueError("Filters should be 3D for causal convolution")
    if len(filter_shape) != 3 or (input_shape is not None and len(input_shape) != 3):
        raise ValueError("filter_shape and input_shape must have 3 elements, got {} and {}".format(filter_shape, input_shape))
    op = AbstractConv2d(
        imshp=None if input_shape is None else (*input_shape, 1),
        kshp=(*filter_shape, 1),
        border_mode=((filter_dilation * (filter_shape[2] - 1), 0), 0),
        subsample=(subsample, 1),
        filter_flip=filter_flip,
        filter_dilation=(filter_dilation, 1),
        num_groups=num_groups,
        unshared=unshared,
    )
    return op(images.dimshuffle(0, 1, 2, "x"), kernels.dimshuffle(0, 1, 2, "x"))[:, :, :, 0]


def bilinear_kernel_1D(ratio: Any, normalize: bool = True) -> Any:
    """Returns the vector 1, 2, ..., ratio, ..., 2, 1; divided by `ratio` where `normalize`."""
    rising = tb.arange(1, ratio + 1, dtype=config.floatX)
    kernel = tb.concatenate([rising, rising[-2::-1]])
    return kernel / tb.cast(ratio, config.floatX) if normalize else kernel


def bilinear_kernel_2D(ratio: Any, normalize: bool = True) -> Any:
    """Returns the outer product of two bilinear_kernel_1D; `ratio` is one number or (vertical, horizontal)."""
    vertical, horizontal = ratio if isinstance(ratio, tuple) else (ratio, ratio)
    rows, columns = bilinear_kernel_1D(vertical, normalize), bilinear_kernel_1D(horizontal, normalize)
    return columns.dimshuffle("x", 0) * rows.dimshuffle(0, "x")


def _with_border(images: Any) -> Any:
    """Images with their outermost rows and columns repeated once."""
    images = tb.concatenate((images[:, :, :1, :], images, images[:, :, -1:, :]), axis=2)
    return tb.concatenate((images[:, :, :, :1], images, images[:, :, :, -1:]), axis=3)


def _reduced(ratio: Any) -> tuple[int, int]:
    """A fraction (p, q) in lowest terms."""
    p, q = ratio
    return int(p) // gcd(p, q), int(q) // gcd(p, q)


def frac_bilinear_upsampling(input: Any, frac_ratio: Any) -> Any:
    """Interpolates bilinearly to p / q times as many rows and columns. `frac_ratio` is (p, q), or one such pair for each axis."""
    if not isinstance(frac_ratio, tuple):
        raise ValueError("frac_ratio must be a tuple")
    fractions = frac_ratio if isinstance(frac_ratio[0], tuple) else (frac_ratio, frac_ratio)
    (up_rows, down_rows), (up_columns, down_columns) = map(_reduced, fractions)
    rows, columns = input.shape[2], input.shape[3]
    images = _with_border(input.reshape((-1, 1, rows, columns)))
    # The images are passed as filters: their dilation by the ratio inserts the zeros between pixels.
    kernel = bilinear_kernel_2D((up_rows, up_columns))[None, None, :, :].astype(config.floatX)
    for axis, length, ratio in ((2, rows, up_rows), (3, columns, up_columns)):
        twice = (2 * length - 1) * ratio + 1
        before = twice // 2
        shape = [kernel.shape[i] for i in range(4)]
        zeros = [tb.zeros((*shape[:axis], count, *shape[axis + 1 :]), dtype=config.floatX) for count in (before, twice - before)]
        kernel = tb.concatenate((zeros[0], kernel, zeros[1]), axis=axis)
    result = conv2d(kernel, images, border_mode="valid", filter_dilation=(up_rows, up_columns), subsample=(down_rows, down_columns))
    return result.reshape((input.shape[0], input.shape[1], result.shape[2], result.shape[3]))


def bilinear_upsampling(
    input: Any,
    ratio: Any = None,
    frac_ratio: Any = None,
    batch_size: Any = None,
    num_input_channels: Any = None,
    use_1D_kernel: bool = True,
) -> Any:
    """Interpolates images (batch, channels, rows, columns) bilinearly to `ratio` times as many rows and columns.

    `frac_ratio` gives a fraction instead, see frac_bilinear_upsampling. Raises ValueError if both or neither are given.
    """
    if ratio and frac_ratio:
        raise ValueError("can't use ratio and frac_ratio together")
    if not (ratio or frac_ratio):
        raise ValueError("No ratio (or frac_ratio) provided")
    if frac_ratio:
        if use_1D_kernel:
            message = "For fractional ratios 1D kernel method not implemented. You may want to pass use_1D_kernel as False"
            raise ValueError(message)
        return frac_bilinear_upsampling(input, frac_ratio=frac_ratio)
    images_in_all = None if batch_size is None or num_input_channels is None else batch_size * num_input_channels
    rows, columns = input.shape[2], input.shape[3]
    bordered = _with_border(input.reshape((-1, 1, rows, columns)))
    pad = 2 * ratio - (ratio - 1) // 2 - 1

    def upsampled(images: Any, kernel: Any, known: Any, shape: Any, border: Any, strides: Any) -> Any:
        return conv2d_grad_wrt_inputs(images, kernel, (images_in_all, 1, *shape), known, border_mode=border, subsample=strides)

    if use_1D_kernel:
        kernel = bilinear_kernel_1D(ratio)
        tall = upsampled(bordered, kernel[None, None, :, None], (1, 1, None, 1), (rows * ratio, columns + 2), (pad, 0), (ratio, 1))
        result = upsampled(tall, kernel[None, None, None, :], (1, 1, 1, None), (rows * ratio, columns * ratio), (0, pad), (1, ratio))
    else:
        kernel = bilinear_kernel_2D(ratio)[None, None, :, :]
        result = upsampled(bordered, kernel, (1, 1, None, None), (rows * ratio, columns * ratio), (pad, pad), (ratio, ratio))
    return result.reshape((input.shape[0], input.shape[1], rows * ratio, columns * ratio))


_volumes = Volumes(pt, conv3d, conv3d_grad_wrt_inputs, conv3d_grad_wrt_weights)
conv3D, convGrad3D, convTransp3D = _volumes.conv3D, _volumes.convGrad3D, _volumes.convTransp3D
"""`theano.tensor.nnet.conv3D` and its gradients, which Theano had until 0.9: channels are the last axis."""
