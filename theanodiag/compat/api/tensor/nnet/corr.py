"""theano.tensor.nnet.corr."""

from ....ops.conv.corr import BaseCorrMM, CorrMM, CorrMM_gradInputs, CorrMM_gradWeights
