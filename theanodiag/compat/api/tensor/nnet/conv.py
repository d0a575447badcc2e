"""Serves `theano.tensor.nnet.conv` from this layer's ops/conv/legacy.py."""

from ....ops.conv.legacy import ConvOp, conv2d
from ....ops.conv.shapes import get_conv_output_shape, get_conv_shape_1axis

imported_scipy_signal = True
