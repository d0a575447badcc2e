"""Serves `theano.tensor.nnet.ctc` from this layer's ops/ctc.py."""

from ....ops.ctc import ConnectionistTemporalClassification, ctc, ctc_available, ctc_present, local_ctc_no_grad
