"""Serves `theano.tensor.nnet.corr3d` from this layer's ops/conv/corr.py."""

from ....ops.conv.corr import BaseCorr3dMM, Corr3dMM, Corr3dMM_gradInputs, Corr3dMM_gradWeights
