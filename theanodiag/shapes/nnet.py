"""Softmax, the CrossEntropy family, batch normalisation and CTC, on the CPU and with cuDNN."""

from __future__ import annotations

from .dimensions import lift
from .registry import Rule, Shapes, like
from .state import Node


def nll_of_classes(node: Node) -> Shapes:
    """CrossentropySoftmaxArgmax1HotWithBias: negative log likelihoods, probabilities, classes."""
    x = node.shape(0)
    return [x[:1], x, x[:1]]


def nll(node: Node) -> Shapes:
    """CrossentropyCategorical1Hot: one number for each row."""
    return [node.shape(0)[:1]]


def batch_norm(node: Node) -> Shapes:
    """Training: the output, mean and inverse deviation, then the running averages that were given."""
    x, scale = node.shape(0), node.shape(1)
    return [x, *[scale] * (node.n_outputs - 1)]


def batch_norm_gradient(node: Node) -> Shapes:
    """Gradients of (x, dy, scale, ...) with respect to x, scale and bias."""
    return [node.shape(0), *[node.shape(2)] * (node.n_outputs - 1)]


def one_more_column(node: Node) -> Shapes:
    """Prepend_scalar_to_each_row: the scalar is the first input; as a constant it is a parameter."""
    x = node.shape(node.n_inputs - 1, least=2)
    return [(x[0], lift(lambda d: d + 1, x[1]))]


def ctc(node: Node) -> Shapes:
    """A cost for each of the batch of (time, batch, classes), and the gradient."""
    x = node.shape(0)
    return [x[1:2], x][: node.n_outputs]


_LIKE_FIRST = (
    "Softmax", "LogSoftmax", "SoftmaxWithBias", "SoftmaxGrad", "LogSoftmaxGrad", "DnnSoftmax", "DnnSoftmaxGrad", "DnnLogSoftmax",
    "BatchNormInference", "AbstractBatchNormInference", "DnnBatchNormInference",
)  # fmt: skip
RULES: dict[str, Rule] = {
    **dict.fromkeys(_LIKE_FIRST, like(0)),
    "CrossentropySoftmaxArgmax1HotWithBias": nll_of_classes,
    "CrossentropySoftmax1HotWithBiasDx": like(1),
    "CrossentropyCategorical1Hot": nll,
    "CrossentropyCategorical1HotGrad": like(1),
    "AbstractBatchNormTrain": batch_norm,
    "DnnBatchNorm": batch_norm,
    "AbstractBatchNormTrainGrad": batch_norm_gradient,
    "DnnBatchNormGrad": batch_norm_gradient,
    "Prepend_scalar_to_each_row": one_more_column,
    "Prepend_scalar_constant_to_each_row": one_more_column,
    "ConnectionistTemporalClassification": ctc,
}
