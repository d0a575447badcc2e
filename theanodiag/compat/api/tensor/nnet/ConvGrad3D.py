"""Serves `theano.tensor.nnet.ConvGrad3D` of Theano until 0.9."""

from ....ops.conv.functions import conv3D, convGrad3D
