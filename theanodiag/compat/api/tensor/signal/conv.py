"""theano.tensor.signal.conv."""

from ....ops.conv.legacy import signal_conv2d as conv2d
