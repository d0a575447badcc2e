"""Serves `theano.tensor.nnet.abstract_conv` from this layer's ops/conv/abstract.py, functions.py and shapes.py."""

from ....ops.conv import lowering
from ....ops.conv.abstract import (
    AbstractConv,
    AbstractConv2d,
    AbstractConv2d_gradInputs,
    AbstractConv2d_gradWeights,
    AbstractConv3d,
    AbstractConv3d_gradInputs,
    AbstractConv3d_gradWeights,
    AbstractConv_gradInputs,
    AbstractConv_gradWeights,
    BaseAbstractConv,
    assert_shape,
)
from ....ops.conv.functions import abstract_conv2d as conv2d
from ....ops.conv.functions import (
    bilinear_kernel_1D,
    bilinear_kernel_2D,
    bilinear_upsampling,
    causal_conv1d,
    conv2d_grad_wrt_inputs,
    conv2d_grad_wrt_weights,
    conv3d,
    conv3d_grad_wrt_inputs,
    conv3d_grad_wrt_weights,
    frac_bilinear_upsampling,
    separable_conv2d,
    separable_conv3d,
)
from ....ops.conv.shapes import (
    assert_conv_shape,
    border_mode_to_pad,
    check_conv_gradinputs_shape,
    get_conv_gradinputs_shape,
    get_conv_gradinputs_shape_1axis,
    get_conv_gradweights_shape,
    get_conv_gradweights_shape_1axis,
    get_conv_output_shape,
    get_conv_shape_1axis,
)

imported_scipy_signal = True
