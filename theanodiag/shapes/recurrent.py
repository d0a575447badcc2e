"""Shape rules of cuDNN's recurrent layers, dropout and spatial transformers.

Source: Theano 1.0.5 gpuarray/dnn.py, `make_node`; its c_code/dnn_rnn_*.c.
"""

from __future__ import annotations

from ..ir.shape import Unknown
from .dimensions import NoShape, lift
from .registry import Rule, Shapes
from .state import Node

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


RULES: dict[str, Rule] = {
    "DnnRNNOp": steps, "DnnRNNGradInputs": of_inputs, "DnnRNNGradWeights": of_weights, "DnnDropoutOp": dropped,
    "DnnTransformerGrid": grid, "DnnTransformerSampler": sampled, "DnnTransformerGradI": of_samples,
    "DnnTransformerGradT": of_transformation,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
