"""theano.tensor.nnet.ConvGrad3D, of Theano until 0.9."""

from ....ops.conv.volumes import conv3D, convGrad3D
