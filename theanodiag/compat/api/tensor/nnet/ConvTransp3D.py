"""Serves `theano.tensor.nnet.ConvTransp3D` of Theano until 0.9."""

from ....ops.conv.functions import conv3D, convTransp3D
