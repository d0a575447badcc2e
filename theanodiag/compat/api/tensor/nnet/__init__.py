"""Serves `theano.tensor.nnet` from this layer's ops: activations, losses, convolutions and batch normalisation."""

from pytensor.tensor.math import sigmoid, softplus

from ....ops.activations import hard_sigmoid, ultra_fast_sigmoid
from ....ops.bn import batch_normalization
from ....ops.conv import lowering
from ....ops.conv.functions import (
    abstract_conv2d,
    conv2d,
    conv2d_grad_wrt_inputs,
    conv2d_transpose,
    conv3D,
    conv3d,
    convGrad3D,
    convTransp3D,
    separable_conv2d,
)
from ....ops.conv.legacy import ConvOp
from .nnet import *
from .sigm import scalar_sigmoid, sigmoid_inplace

AESARA = {"softmax": None, "logsoftmax": None}
"""For scripts that import aesara, PyTensor's softmax and logsoftmax serve, which take any rank and an axis."""
