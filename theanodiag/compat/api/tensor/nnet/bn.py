"""Serves `theano.tensor.nnet.bn` from this layer's ops/bn.py."""

from ....ops.bn import (
    AbstractBatchNormInference,
    AbstractBatchNormTrain,
    AbstractBatchNormTrainGrad,
    _prepare_batch_normalization_axes,
    batch_normalization,
    batch_normalization_test,
    batch_normalization_train,
    local_abstract_batch_norm_inference,
    local_abstract_batch_norm_train,
    local_abstract_batch_norm_train_grad,
)
