"""Theano's functions for convolution and pooling with cuDNN and cuBLAS, implemented with the Ops for the CPU that give the same numbers."""

from typing import Any, Optional, Sequence

from pytensor.tensor.basic import as_tensor_variable

from ..bn import batch_normalization_test, batch_normalization_train
from ..pool import pool_2d, pool_3d
from .abstract import AbstractConv2d_gradInputs, AbstractConv2d_gradWeights
from .corr import CorrMM
from .functions import (
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
)


def dnn_conv(
    img: Any,
    kerns: Any,
    border_mode: Any = "valid",
    subsample: Any = (1, 1),
    dilation: Any = (1, 1),
    conv_mode: str = "conv",
    direction_hint: Any = None,
    workmem: Any = None,
    algo: Any = None,
    precision: Any = None,
    num_groups: int = 1,
) -> Any:
    """`theano.gpuarray.dnn.dnn_conv`: conv2d with cuDNN's argument names; hints for its algorithms have no effect."""
    return GpuDnnConv()(img, kerns, None, GpuDnnConvDesc(border_mode, subsample, dilation, conv_mode, num_groups=num_groups)())


def _options(border_mode: Any, subsample: Any, dilation: Any, conv_mode: str, num_groups: int) -> "dict[str, Any]":
    """cuDNN's options under the names of conv2d's and conv3d's arguments."""
    return GpuDnnConvDesc(border_mode, subsample, dilation, conv_mode, num_groups=num_groups).options


def dnn_conv3d(
    img: Any, kerns: Any, border_mode: Any = "valid", subsample: Any = (1, 1, 1), dilation: Any = (1, 1, 1), conv_mode: str = "conv",
    direction_hint: Any = None, algo: Any = None, precision: Any = None, num_groups: int = 1,
) -> Any:  # fmt: skip
    """`theano.gpuarray.dnn.dnn_conv3d`: conv3d with cuDNN's argument names; hints for its algorithms have no effect."""
    return conv3d(img, kerns, **_options(border_mode, subsample, dilation, conv_mode, num_groups))


def dnn_gradweight(
    img: Any, topgrad: Any, kerns_shp: Any, border_mode: Any = "valid", subsample: Any = (1, 1), dilation: Any = (1, 1),
    conv_mode: str = "conv", precision: Any = None, algo: Any = None, num_groups: int = 1,
) -> Any:  # fmt: skip
    """`theano.gpuarray.dnn.dnn_gradweight`: gradient of the filters, which have the shape `kerns_shp`, of dnn_conv or dnn_conv3d."""
    function = conv3d_grad_wrt_weights if len(subsample) == 3 else conv2d_grad_wrt_weights
    return function(img, topgrad, tuple(kerns_shp), **_options(border_mode, subsample, dilation, conv_mode, num_groups))


def dnn_gradinput(
    kerns: Any, topgrad: Any, img_shp: Any, border_mode: Any = "valid", subsample: Any = (1, 1), dilation: Any = (1, 1),
    conv_mode: str = "conv", precision: Any = None, algo: Any = None, num_groups: int = 1,
) -> Any:  # fmt: skip
    """`theano.gpuarray.dnn.dnn_gradinput`: gradient of the images, which have the shape `img_shp`, of dnn_conv or dnn_conv3d."""
    function = conv3d_grad_wrt_inputs if len(subsample) == 3 else conv2d_grad_wrt_inputs
    return function(topgrad, kerns, tuple(img_shp), **_options(border_mode, subsample, dilation, conv_mode, num_groups))


def dnn_batch_normalization_train(
    inputs: Any, gamma: Any, beta: Any, mode: str = "per-activation", epsilon: Any = 1e-4, running_average_factor: Any = 0.1,
    running_mean: Any = None, running_var: Any = None,
) -> Any:  # fmt: skip
    """`theano.gpuarray.dnn.dnn_batch_normalization_train`: batch_normalization_train with cuDNN's argument names."""
    return batch_normalization_train(inputs, gamma, beta, mode, epsilon, running_average_factor, running_mean, running_var)


def dnn_batch_normalization_test(
    inputs: Any, gamma: Any, beta: Any, mean: Any, var: Any, mode: str = "per-activation", epsilon: Any = 1e-4
) -> Any:
    """`theano.gpuarray.dnn.dnn_batch_normalization_test`: batch_normalization_test with cuDNN's argument names."""
    return batch_normalization_test(inputs, gamma, beta, mean, var, mode, epsilon)


def dnn_pool(img: Any, ws: Sequence[int], stride: Any = None, mode: str = "max", pad: Any = None) -> Any:
    """`theano.gpuarray.dnn.dnn_pool`: pools two or three axes. The default stride is 1; windows that cross the border are ignored."""
    pool = {2: pool_2d, 3: pool_3d}[len(ws)]
    ones, zeros = (1,) * len(ws), (0,) * len(ws)
    names = {"average": "average_inc_pad", "max_deterministic": "max"}
    return pool(img, ws=ws, ignore_border=True, stride=stride or ones, pad=pad or zeros, mode=names.get(mode, mode))


class GpuDnnConvDesc:
    """Options of a convolution: border, strides, dilation, and whether filters are flipped ("conv") or not ("cross")."""

    def __init__(
        self,
        border_mode: Any,
        subsample: Any = (1, 1),
        dilation: Any = (1, 1),
        conv_mode: str = "conv",
        precision: str = "float32",
        num_groups: int = 1,
    ) -> None:
        if isinstance(dilation, str):  # older releases had no dilation
            dilation, conv_mode = (1, 1), dilation
        if conv_mode not in ("conv", "cross"):
            raise ValueError("conv_mode is {!r}; it is 'conv' or 'cross'".format(conv_mode))
        self.options = {
            "border_mode": border_mode,
            "subsample": tuple(subsample),
            "filter_dilation": tuple(dilation),
            "filter_flip": conv_mode == "conv",
            "num_groups": num_groups,
        }

    def __call__(self, *shapes: Any) -> "GpuDnnConvDesc":
        """The descriptor itself; it does not depend on the shapes of images and filters."""
        return self


class _Direction:
    """Base class of the three directions of cuDNN's convolution; called with the arguments of Theano's Ops."""

    def __init__(self, algo: Optional[str] = None, inplace: bool = False, num_groups: int = 1) -> None:
        pass

    def __call__(self, first: Any, second: Any, output: Any, desc: GpuDnnConvDesc, alpha: Any = None, beta: Any = None) -> Any:
        """`alpha` times the result plus `beta` (0 by default) times `output`."""
        result = self.computed(first, second, output, desc.options)
        if alpha is not None:
            result = alpha * result
        return result if beta is None else result + beta * output

    def computed(self, first: Any, second: Any, output: Any, options: Any) -> Any:
        """Computes the result for alpha = 1 and beta = 0; a subclass defines it."""
        raise NotImplementedError


class GpuDnnConv(_Direction):
    """The convolution of images (first) with filters (second)."""

    def computed(self, first: Any, second: Any, output: Any, options: Any) -> Any:
        """Computes the convolution for alpha = 1 and beta = 0."""
        return conv2d(as_tensor_variable(first), as_tensor_variable(second), **options)


class GpuDnnConvGradW(_Direction):
    """Gradient of the filters, from images (first) and the gradient of the result (second); `output` has the filters' shape."""

    def computed(self, first: Any, second: Any, output: Any, options: Any) -> Any:
        """Computes the gradient of the filters for alpha = 1 and beta = 0."""
        op = AbstractConv2d_gradWeights(**options)
        return op(as_tensor_variable(first), as_tensor_variable(second), as_tensor_variable(output).shape[-2:])


class GpuDnnConvGradI(_Direction):
    """Gradient of the images, from filters (first) and the gradient of the result (second); `output` has the images' shape."""

    def computed(self, first: Any, second: Any, output: Any, options: Any) -> Any:
        """Computes the gradient of the images for alpha = 1 and beta = 0."""
        op = AbstractConv2d_gradInputs(**options)
        return op(as_tensor_variable(first), as_tensor_variable(second), as_tensor_variable(output).shape[-2:])


class PaddedCorrMM(CorrMM):
    """`theano.sandbox.cuda.blas.GpuCorrMM`: CorrMM with the border's older name, `pad`."""

    def __init__(self, border_mode: Any = "valid", subsample: Any = (1, 1), pad: Any = (0, 0)) -> None:
        super().__init__(border_mode if tuple(pad) == (0, 0) else tuple(pad), subsample)


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


def dnn_present() -> bool:
    """Always False: there is no GPU."""
    return False


for _asked in (dnn_available, dnn_present):
    _asked.avail, _asked.msg = False, "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")


def cuda_dnn_conv(
    img: Any, kerns: Any, border_mode: Any = "valid", subsample: Any = (1, 1), conv_mode: str = "conv", *hints: Any, **named: Any
) -> Any:
    """`theano.sandbox.cuda.dnn.dnn_conv`: conv2d with cuDNN's argument names; `conv_mode` "cross" leaves filters unflipped.

    Hints for its algorithms have no effect.
    """
    return dnn_conv(img, kerns, border_mode, subsample, conv_mode=conv_mode)
