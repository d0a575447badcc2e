"""Shape rules of neural-network Ops, on the CPU and with cuDNN: softmax, cross-entropy, batch normalisation, CTC, image neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable

from ..agent.shapes.dimensions import NoShape, lift, product
from ..ir.shape import Unknown
from .registry import Rule, Shapes, like
from .state import Node


def nll_of_classes(node: Node) -> Shapes:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes): negative log likelihoods, probabilities, classes."""
    x = node.shape(0)
    return [x[:1], x, x[:1]]


def nll(node: Node) -> Shapes:
    """CrossentropyCategorical1Hot: one number for each row."""
    return [node.shape(0)[:1]]


def batch_norm(node: Node) -> Shapes:
    """Batch normalisation, training, of (x, scale, ...): the output, then statistics shaped as the scale.

    These are mean, inverse deviation and running averages.
    """
    x, scale = node.shape(0), node.shape(1)
    return [x, *[scale] * (node.n_outputs - 1)]


def batch_norm_gradient(node: Node) -> Shapes:
    """Gradients of batch normalisation of (x, dy, scale, ...) with respect to x, scale and bias."""
    return [node.shape(0), *[node.shape(2)] * (node.n_outputs - 1)]


def one_more_column(node: Node) -> Shapes:
    """Prepend_scalar_to_each_row: one column more; the scalar is the first input, or a parameter where it is constant."""
    x = node.shape(node.n_inputs - 1, least=2)
    return [(x[0], lift(lambda d: d + 1, x[1]))]


def ctc(node: Node) -> Shapes:
    """ConnectionistTemporalClassification of (time, batch, classes): a cost for each batch entry, and the gradient."""
    x = node.shape(0)
    return [x[1:2], x][: node.n_outputs]


_WINDOWS: dict[str, Callable[..., int]] = {
    "valid": lambda d, w, s: (d - w) // s + 1, "ignore_borders": lambda d, w, s: (d - w) // s + 1,
    "wrap_centered": lambda d, w, s: -(-d // s), "half": lambda d, w, s: (d - w % 2) // s + 1, "full": lambda d, w, s: (d + w - 2) // s + 1,
}  # fmt: skip
"""Number of windows of size w in d elements with stride s, by mode."""


def neighbourhoods(node: Node) -> Shapes:
    """Images2Neibs of (images, window, stride): one row for each window. Source: Theano 1.0.5 tensor/nnet/neighbours.py `infer_shape`."""
    shape, window, step = node.shape(0), node.numbers(1), node.numbers(2)
    if window is None or step is None or len(shape) != 4:
        raise NoShape("the window of Images2Neibs is not known")
    mode = node.params.get("mode")
    count = _WINDOWS.get(mode) if isinstance(mode, str) else None
    if count is None:
        raise NoShape("the mode of Images2Neibs is not known")
    per = [lift(count, d, w, s) for d, w, s in zip(shape[2:], window, step)]
    return [(product((*shape[:2], *per)), product(window))]


_LIKE_FIRST = (
    "Softmax", "LogSoftmax", "SoftmaxWithBias", "SoftmaxGrad", "LogSoftmaxGrad", "DnnSoftmax", "DnnSoftmaxGrad", "DnnLogSoftmax",
    "BatchNormInference", "AbstractBatchNormInference", "DnnBatchNormInference",
)  # fmt: skip
_NNET_RULES: dict[str, Rule] = {
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
    "Images2Neibs": neighbourhoods,
}
"""Shape rule by class name of the Op, without `Gpu`."""


_RESERVE = Unknown("cuDNN decides how much it keeps for the way back")


def steps(node: Node) -> Shapes:
    """GpuDnnRNNOp of (descriptor, directions, weights, x, hx[, cx]): the reserve, the output of each step, the last states."""
    x, state = node.shape(3), node.shape(4)
    directions = node.number(1)
    if len(x) != 3 or len(state) != 3:
        raise NoShape(f"{node.op.name} of inputs without three dimensions")
    last = [node.shape(5)] if node.n_outputs > 3 and node.n_inputs > 5 else []
    return [_RESERVE, (x[0], x[1], lift(int.__mul__, state[2], directions)), state, *last]


def of_inputs(node: Node) -> Shapes:
    """GpuDnnRNNGradInputs of (descriptor, size of x, y, dy, w, hx, reserve[, cx, ...]): the reserve, dx, dhx[, dcx]."""
    y, state = node.shape(2), node.shape(5)
    last = [node.shape(7)] if node.n_outputs > 3 and node.n_inputs > 7 else []
    return [_RESERVE, (*y[:2], node.number(1)), state, *last]


def of_weights(node: Node) -> Shapes:
    """GpuDnnRNNGradWeights of (descriptor, number of weights, ...): a vector of that length."""
    return [(node.number(1),)]


def dropped(node: Node) -> Shapes:
    """GpuDnnDropoutOp: the input's shape, and cuDNN's reserve of unknown size."""
    return [node.shape(0), _RESERVE] if node.n_outputs > 1 else [node.shape(0)]


def grid(node: Node) -> Shapes:
    """GpuDnnTransformerGrid of (transformations, output shape): (images, height, width, 2)."""
    dims = node.known(1, 4)
    return [(node.shape(0, least=1)[0], dims[2], dims[3], 2)]


def sampled(node: Node) -> Shapes:
    """GpuDnnTransformerSampler of (images, grid): (images, channels, height and width of the grid)."""
    image, at = node.shape(0, least=2), node.shape(1, least=3)
    return [(image[0], image[1], at[1], at[2])]


def of_samples(node: Node) -> Shapes:
    """GpuDnnTransformerGradI of (images, grid, gradient): gradients shaped as images and grid."""
    return [node.shape(0), node.shape(1)]


def of_transformation(node: Node) -> Shapes:
    """GpuDnnTransformerGradT: a 2 x 3 matrix for each image."""
    return [(node.shape(0, least=1)[0], 2, 3)]


_RECURRENT_RULES: dict[str, Rule] = {
    "DnnRNNOp": steps, "DnnRNNGradInputs": of_inputs, "DnnRNNGradWeights": of_weights, "DnnDropoutOp": dropped,
    "DnnTransformerGrid": grid, "DnnTransformerSampler": sampled, "DnnTransformerGradI": of_samples,
    "DnnTransformerGradT": of_transformation,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_NNET_RULES, **_RECURRENT_RULES}
"""Shape rule by class name of the Op."""
