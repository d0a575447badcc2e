"""Serves `theano.tensor.nnet.nnet` from this layer's ops: softmax, cross-entropies and activations."""

from pytensor.tensor.math import sigmoid, softplus

from ....ops import softmax_rewrites
from ....ops.activations import (
    ScalarSoftsign,
    binary_crossentropy,
    elu,
    relu,
    scalar_softsign,
    selu,
    sigmoid_binary_crossentropy,
    softsign,
)
from ....ops.blocksparse import sparse_block_dot
from ....ops.crossentropy import (
    CrossentropyCategorical1Hot,
    CrossentropyCategorical1HotGrad,
    CrossentropySoftmax1HotWithBiasDx,
    CrossentropySoftmaxArgmax1HotWithBias,
    Prepend_scalar_constant_to_each_row,
    Prepend_scalar_to_each_row,
    categorical_crossentropy,
    crossentropy_categorical_1hot,
    crossentropy_categorical_1hot_grad,
    crossentropy_softmax_1hot,
    crossentropy_softmax_1hot_with_bias,
    crossentropy_softmax_1hot_with_bias_dx,
    crossentropy_softmax_argmax_1hot_with_bias,
    crossentropy_softmax_max_and_argmax_1hot,
    crossentropy_softmax_max_and_argmax_1hot_with_bias,
    prepend_0_to_each_row,
    prepend_1_to_each_row,
    prepend_scalar_to_each_row,
)
from ....ops.hierarchical import confusion_matrix, h_softmax
from ....ops.softmax import (
    LogSoftmax,
    Softmax,
    SoftmaxGrad,
    SoftmaxWithBias,
    logsoftmax,
    logsoftmax_op,
    softmax,
    softmax_grad,
    softmax_graph,
    softmax_op,
    softmax_with_bias,
)
from ....ops.softmax_rewrites import (
    crossentropy_to_crossentropy_with_softmax,
    crossentropy_to_crossentropy_with_softmax_with_bias,
    graph_merge_softmax_with_crossentropy_softmax,
    local_advanced_indexing_crossentropy_onehot,
    local_advanced_indexing_crossentropy_onehot_grad,
    local_argmax_pushdown,
    local_logsoftmax,
    local_logsoftmax_grad,
    local_softmax_with_bias,
)

AESARA = {"softmax": None, "logsoftmax": None}
"""For scripts that import aesara, PyTensor's softmax and logsoftmax serve, which take any rank and an axis."""
