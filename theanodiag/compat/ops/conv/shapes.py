"""Shapes of convolutions with ints or symbolic lengths, as `theano.tensor.nnet.abstract_conv` gives them; None is an unknown length."""

from typing import Any

from pytensor.raise_op import Assert
from pytensor.tensor.basic import get_scalar_constant_value
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import ge, gt

Length = Any
"""An int, a symbolic scalar or None."""
Lengths = Any
"""A tuple of Length."""


def _of_each_axis(border_mode: Any, ndim: int) -> tuple[Any, ...]:
    return tuple(border_mode[i] for i in range(ndim)) if isinstance(border_mode, tuple) else (border_mode,) * ndim


def _dilations(filter_dilation: Any, ndim: int) -> Any:
    return (1,) * ndim if filter_dilation is None else filter_dilation


def _padding(border_mode: Any, dilated: Length) -> tuple[Length, Length]:
    """Padding (before, behind) of one axis, for a filter of effective length `dilated`."""
    if border_mode == "half":
        return dilated // 2, dilated // 2
    if border_mode == "full":
        return dilated - 1, dilated - 1
    if border_mode == "valid":
        return 0, 0
    before, behind = border_mode if isinstance(border_mode, tuple) else (border_mode, border_mode)
    if before < 0 or behind < 0:
        raise ValueError("border_mode must be >= 0")
    return before, behind


def _is_zero(length: Length) -> bool:
    return isinstance(length, int) and length == 0


def _unknown(*lengths: Length) -> bool:
    return any(length is None for length in lengths)


def get_conv_shape_1axis(image_shape: Length, kernel_shape: Length, border_mode: Any, subsample: Length, dilation: Length = 1) -> Length:
    """Returns the length of the output along one axis; None if an argument is unknown."""
    if _unknown(image_shape, kernel_shape, border_mode, subsample, dilation):
        return None
    dilated = (kernel_shape - 1) * dilation + 1
    length = image_shape - dilated
    for pad in _padding(border_mode, dilated):
        if not _is_zero(pad):
            length = length + pad
    if not (isinstance(subsample, int) and subsample == 1):
        length = length // subsample
    return length + 1


def get_conv_output_shape(
    image_shape: Lengths, kernel_shape: Lengths, border_mode: Any, subsample: Any, filter_dilation: Any = None
) -> tuple[Length, ...]:
    """Returns the shape of the output: (batch, filters, *space), with None for unknown lengths."""
    ndim = len(image_shape) - 2
    modes, dilations = _of_each_axis(border_mode, len(subsample)), _dilations(filter_dilation, len(subsample))
    space = zip(image_shape[2:], kernel_shape[-ndim:], modes, subsample, dilations)
    return (image_shape[0], kernel_shape[0], *(get_conv_shape_1axis(*axis) for axis in space))


def get_conv_gradweights_shape_1axis(
    image_shape: Length, top_shape: Length, border_mode: Any, subsample: Length, dilation: Length
) -> Length:
    """Returns the length of the filters along one axis; None with a stride or the mode "half", where several lengths give one output."""
    if _unknown(image_shape, top_shape, border_mode, subsample, dilation) or subsample != 1 or border_mode == "half":
        return None
    if border_mode == "full":
        length = top_shape - image_shape
    elif border_mode == "valid":
        length = image_shape - top_shape
    else:
        length = image_shape + sum(_padding(border_mode, None)) - top_shape
    return (length // dilation if dilation > 1 else length) + 1


def get_conv_gradweights_shape(
    image_shape: Lengths,
    top_shape: Lengths,
    border_mode: Any,
    subsample: Any,
    filter_dilation: Any = None,
    num_groups: int = 1,
    unshared: bool = False,
) -> tuple[Length, ...]:
    """Returns the shape of the filters from those of images and outputs, with None for lengths that these do not determine."""
    ndim = len(subsample)
    axes = zip(image_shape[2:], top_shape[2:], _of_each_axis(border_mode, ndim), subsample, _dilations(filter_dilation, ndim))
    kernel = tuple(get_conv_gradweights_shape_1axis(*axis) for axis in axes)
    filters, channels = top_shape[1], image_shape[1]
    if num_groups > 1:
        filters = filters // num_groups
    return (filters, *top_shape[2:], channels, *kernel) if unshared else (filters, channels, *kernel)


def get_conv_gradinputs_shape_1axis(
    kernel_shape: Length, top_shape: Length, border_mode: Any, subsample: Length, dilation: Length
) -> Length:
    """Returns the length of the images along one axis; None with a stride, where several lengths give one output."""
    if _unknown(kernel_shape, top_shape, border_mode, subsample, dilation) or subsample != 1:
        return None
    dilated = (kernel_shape - 1) * dilation + 1
    length = top_shape + dilated - 1
    for pad in _padding(border_mode, dilated):
        if not _is_zero(pad):
            length = length - pad
    return length


def get_conv_gradinputs_shape(
    kernel_shape: Lengths, top_shape: Lengths, border_mode: Any, subsample: Any, filter_dilation: Any = None, num_groups: int = 1
) -> tuple[Length, ...]:
    """Returns the shape of the images from those of filters and outputs, with None for lengths that these do not determine."""
    ndim = len(subsample)
    channels = kernel_shape[1] * num_groups if num_groups > 1 else kernel_shape[1]
    kernel = kernel_shape[-(len(top_shape) - 2) :]
    axes = zip(kernel, top_shape[2:], _of_each_axis(border_mode, ndim), subsample, _dilations(filter_dilation, ndim))
    return (top_shape[0], channels, *(get_conv_gradinputs_shape_1axis(*axis) for axis in axes))


def check_conv_gradinputs_shape(
    image_shape: Lengths, kernel_shape: Lengths, output_shape: Lengths, border_mode: Any, subsample: Any, filter_dilation: Any = None
) -> bool:
    """Returns whether images and filters of these shapes give an output of `output_shape`; unknown and symbolic lengths count as equal."""
    image_shape, kernel_shape, output_shape = tuple(image_shape), tuple(kernel_shape), tuple(output_shape)
    if not len(image_shape) == len(kernel_shape) == len(output_shape) == len(subsample) + 2:
        return False
    if filter_dilation is not None and len(filter_dilation) != len(subsample):
        return False

    def agree(given: Length, computed: Length) -> bool:
        if _unknown(given, computed):
            return True
        try:
            return int(get_scalar_constant_value(given)) == int(get_scalar_constant_value(computed))
        except NotScalarConstantError:
            return True

    computed = get_conv_output_shape(image_shape, kernel_shape, border_mode, subsample, filter_dilation)
    return all(map(agree, output_shape, computed))


def assert_conv_shape(shape: Lengths) -> tuple[Length, ...]:
    """Returns `shape` with an Assert for each symbolic length. Raises ValueError for a constant one that is negative, or 0 in a spatial
    axis.
    """
    checked = []
    for axis, length in enumerate(shape):
        sign, positive = ("<", ge) if axis < 2 else ("<=", gt)
        try:
            value = get_scalar_constant_value(length)
        except NotScalarConstantError:
            message = "The convolution would produce an invalid shape (dim[{}] {} 0).".format(axis, sign)
            checked.append(Assert(message)(length, positive(length, 0)))
            continue
        if value < 0 or (axis >= 2 and value == 0):
            raise ValueError("The convolution would produce an invalid shape (dim[{}]: {} {} 0).".format(axis, value, sign))
        checked.append(length)
    return tuple(checked)


def border_mode_to_pad(mode: Any, convdim: int, kshp: Lengths) -> tuple[tuple[int, int], ...]:
    """Returns the padding (before, behind) of each spatial axis, for filters of effective shape `kshp`. Raises ValueError for an invalid
    mode.
    """
    if isinstance(mode, tuple):
        if len(mode) != convdim:
            raise ValueError("invalid border_mode {} which must be a tuple of length {}".format(mode, convdim))
        pads = []
        for m in mode:
            if isinstance(m, int) and m >= 0:
                pads.append((m, m))
            elif isinstance(m, tuple) and min(m) >= 0 and all(isinstance(b, int) for b in m):
                if len(m) != 2:
                    raise NotImplementedError("Asymmetric padding not implemented for {}d".format(len(m)))
                pads.append((m[0], m[1]))
            else:
                raise ValueError("invalid border mode {}. The tuple can only contain integers or tuples of length 2".format(mode))
        return tuple(pads)
    if mode not in ("full", "half", "valid"):
        message = 'invalid border_mode {}, which must be either "valid", "full", "half", an integer or a tuple of length {}'
        raise ValueError(message.format(mode, convdim))
    return tuple(_padding(mode, int(k)) for k in kshp)
