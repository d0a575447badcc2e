"""theano.tensor.nnet.Conv3D, of Theano until 0.9."""

from ....ops.conv.volumes import conv3D
