"""theano.tensor.nnet."""

from ....ops.conv.functions import (
    abstract_conv2d,
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_transpose,
    conv3d,
    separable_conv2d,
)
from ....ops.conv.legacy import ConvOp
