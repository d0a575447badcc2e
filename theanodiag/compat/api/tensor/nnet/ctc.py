"""theano.tensor.nnet.ctc."""

from ....ops.ctc import ConnectionistTemporalClassification, ctc, ctc_available, ctc_present, local_ctc_no_grad
