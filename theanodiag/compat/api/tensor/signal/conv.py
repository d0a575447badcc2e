"""Serves `theano.tensor.signal.conv` from this layer's ops/conv/legacy.py."""

from ....ops.conv.legacy import signal_conv2d as conv2d
