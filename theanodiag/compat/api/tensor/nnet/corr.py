"""Serves `theano.tensor.nnet.corr` from this layer's ops/conv/corr.py."""

from ....ops.conv.corr import BaseCorrMM, CorrMM, CorrMM_gradInputs, CorrMM_gradWeights
