"""Serves `theano.tensor.nnet.Conv3D` of Theano until 0.9."""

from ....ops.conv.functions import conv3D
