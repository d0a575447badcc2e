"""Serves `theano.tensor.nnet.neighbours` from this layer's ops/neighbours.py."""

from ....ops.neighbours import Images2Neibs, images2neibs, neibs2images
