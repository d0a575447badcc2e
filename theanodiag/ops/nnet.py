"""Neural-network Ops, on the CPU and with cuDNN: softmax, cross-entropy, batch normalisation, CTC, image neighbourhoods, recurrent layers.

Sources: Theano 1.0.5 tensor/nnet/nnet.py, gpuarray/dnn.py.
"""

from __future__ import annotations

from collections.abc import Callable

from ..agent.shapes.dimensions import (
    NoShape,
    lift,
    product,
)
from ..ir import Apply, FunctionGraph, Type, Unknown
from .dtypes import Dtypes, TypeQuery, as_input
from .memory_effects import by_maps_in_c, with_workspace
from .node import Like, Node, Shapes, sized, typed_like
from .parameters import numbered_parameter
from .spec import Equal, GpuLowering, OpSpec, alike


def nll_of_classes(node: Node) -> Shapes:
    """Returns the output shapes of CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes): negative log likelihoods, probabilities,
    classes.
    """
    x = node.shape(0)
    return [x[:1], x, x[:1]]


def nll(node: Node) -> Shapes:
    """Returns the output shape of CrossentropyCategorical1Hot: one number for each row."""
    return [node.shape(0)[:1]]


def batch_norm(node: Node) -> Shapes:
    """Returns the output shapes of batch normalisation in training of (x, scale, ...): the output, then statistics with the shape of the
    scale.

    The statistics are mean, inverse deviation and running averages.
    """
    x, scale = node.shape(0), node.shape(1)
    return [x, *[scale] * (node.n_outputs - 1)]


def batch_norm_gradient(node: Node) -> Shapes:
    """Returns the output shapes of the gradients of batch normalisation of (x, dy, scale, ...) with respect to x, scale and bias."""
    return [node.shape(0), *[node.shape(2)] * (node.n_outputs - 1)]


def one_more_column(node: Node) -> Shapes:
    """Returns the output shape of Prepend_scalar_to_each_row: one column more; the scalar is the first input, or a parameter if it is
    constant.
    """
    x = node.shape(node.n_inputs - 1, least=2)
    return [(x[0], lift(lambda d: d + 1, x[1]))]


def ctc(node: Node) -> Shapes:
    """Returns the output shapes of ConnectionistTemporalClassification of (time, batch, classes): a cost for each batch entry, and the
    gradient.
    """
    x = node.shape(0)
    return [x[1:2], x][: node.n_outputs]


_WINDOWS: dict[str, Callable[..., int]] = {
    "valid": lambda d, w, s: (d - w) // s + 1, "ignore_borders": lambda d, w, s: (d - w) // s + 1,
    "wrap_centered": lambda d, w, s: -(-d // s), "half": lambda d, w, s: (d - w % 2) // s + 1, "full": lambda d, w, s: (d + w - 2) // s + 1,
}  # fmt: skip
"""Mode -> function that gives the number of windows of size w in d elements with stride s."""


def neighbourhoods(node: Node) -> Shapes:
    """Returns the output shape of Images2Neibs of (images, window, stride): one row for each window. Source: Theano 1.0.5
    tensor/nnet/neighbours.py `infer_shape`.
    """
    shape, window, step = node.shape(0), node.numbers(1), node.numbers(2)
    if window is None or step is None or len(shape) != 4:
        raise NoShape("the window of Images2Neibs is not known")
    mode = node.params.get("mode")
    count = _WINDOWS.get(mode) if isinstance(mode, str) else None
    if count is None:
        raise NoShape("the mode of Images2Neibs is not known")
    per = [lift(count, d, w, s) for d, w, s in zip(shape[2:], window, step)]
    return [(product((*shape[:2], *per)), product(window))]


_RESERVE = Unknown("cuDNN decides how much it keeps for the backward pass")


def steps(node: Node) -> Shapes:
    """Returns the output shapes of GpuDnnRNNOp of (descriptor, directions, weights, x, hx[, cx]): the reserve, the output of each step, the
    last states.
    """
    x, state = node.shape(3), node.shape(4)
    directions = node.number(1)
    if len(x) != 3 or len(state) != 3:
        raise NoShape(f"{node.op.name} of inputs without three dimensions")
    last = [node.shape(5)] if node.n_outputs > 3 and node.n_inputs > 5 else []
    return [_RESERVE, (x[0], x[1], lift(int.__mul__, state[2], directions)), state, *last]


def of_inputs(node: Node) -> Shapes:
    """Returns the output shapes of GpuDnnRNNGradInputs of (descriptor, size of x, y, dy, w, hx, reserve[, cx, ...]): the reserve, dx, dhx[,
    dcx].
    """
    y, state = node.shape(2), node.shape(5)
    last = [node.shape(7)] if node.n_outputs > 3 and node.n_inputs > 7 else []
    return [_RESERVE, (*y[:2], node.number(1)), state, *last]


def of_weights(node: Node) -> Shapes:
    """Returns the output shape of GpuDnnRNNGradWeights of (descriptor, number of weights, ...): a vector of that length."""
    return [(node.number(1),)]


def dropped(node: Node) -> Shapes:
    """Returns the output shapes of GpuDnnDropoutOp: the input's shape, and cuDNN's reserve of unknown size."""
    return [node.shape(0), _RESERVE] if node.n_outputs > 1 else [node.shape(0)]


def grid(node: Node) -> Shapes:
    """Returns the output shape of GpuDnnTransformerGrid of (transformations, output shape): (images, height, width, 2)."""
    dims = node.known(1, 4)
    return [(node.shape(0, least=1)[0], dims[2], dims[3], 2)]


def sampled(node: Node) -> Shapes:
    """Returns the output shape of GpuDnnTransformerSampler of (images, grid): (images, channels, height and width of the grid)."""
    image, at = node.shape(0, least=2), node.shape(1, least=3)
    return [(image[0], image[1], at[1], at[2])]


def of_samples(node: Node) -> Shapes:
    """Returns the output shapes of GpuDnnTransformerGradI of (images, grid, gradient): gradients shaped as images and grid."""
    return [node.shape(0), node.shape(1)]


def of_transformation(node: Node) -> Shapes:
    """Returns the output shape of GpuDnnTransformerGradT: a 2 x 3 matrix for each image."""
    return [(node.shape(0, least=1)[0], 2, 3)]


def _classes_dtype(query: TypeQuery) -> Dtypes:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    return [query.at(0), query.at(0), query.at(2)]


def _classes_agree(node: Node) -> Equal:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    return ((0, 1, 1, 0, 1), (0, 0, 2, 0, 1))


def _classes_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of negative log likelihoods, probabilities and classes. Source: Theano 1.0.5 tensor/nnet/nnet.py, gpuarray/nnet.py."""
    if len(node.inputs) != 3:
        return None
    x, y = graph.variables[node.inputs[0]].type, graph.variables[node.inputs[2]].type
    if not (sized(x) and sized(y)) or x.ndim != 2 or y.ndim != 1:
        return None
    rows = x.shape[:1]
    return [typed_like(x, x.dtype, rows), typed_like(x, x.dtype, x.shape), typed_like(x, y.dtype, rows)]


OPS = (
    OpSpec("CrossentropyCategorical1Hot", integers_from=1, shape=nll, dtype=as_input(0)),
    OpSpec("CrossentropyCategorical1HotGrad", integers_from=2, shape=Like(1)),
    OpSpec("CrossentropySoftmax1HotWithBiasDx", input_ranks=(1, 2, 1), output_ranks=(2,), integers_from=2, shape=Like(1),
        dtype=as_input(1)),
    OpSpec("CrossentropySoftmaxArgmax1HotWithBias", input_ranks=(2, 1, 1), output_ranks=(1, 2, 1), integers_from=2, shape=nll_of_classes,
        agrees=_classes_agree, all_outputs=_classes_outputs, dtype=_classes_dtype, gpu_memory=by_maps_in_c),
    OpSpec("LogSoftmax", shape=Like(0), dtype=as_input(0), gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("SoftmaxGrad", shape=Like(0), gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("SoftmaxWithBias", input_ranks=(2, 1), output_ranks=(2,), shape=Like(0)),
    OpSpec("Conv2d", gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("Images2Neibs", integers_from=1, shape=neighbourhoods, dtype=as_input(0), printed_parameters=numbered_parameter("mode"),
        gpu=GpuLowering(host_inputs_from=1)),
    OpSpec("DnnRNNGradInputs", overwrites={1: (2,)}, shape=of_inputs, gpu_memory=with_workspace("cuDNN's recurrent nets")),
    *alike("AbstractBatchNormInference BatchNormInference DnnBatchNormInference DnnLogSoftmax DnnSoftmax DnnSoftmaxGrad LogSoftmaxGrad",
        shape=Like(0)),
    OpSpec("AbstractBatchNormTrain", shape=batch_norm),
    OpSpec("AbstractBatchNormTrainGrad", shape=batch_norm_gradient),
    OpSpec("ConnectionistTemporalClassification", shape=ctc, gpu_memory=with_workspace("warp-ctc")),
    OpSpec("DnnBatchNorm", shape=batch_norm, gpu_memory=by_maps_in_c),
    OpSpec("DnnBatchNormGrad", shape=batch_norm_gradient, gpu_memory=by_maps_in_c),
    OpSpec("DnnDropoutOp", shape=dropped),
    OpSpec("DnnRNNGradWeights", shape=of_weights, gpu_memory=with_workspace("cuDNN's recurrent nets")),
    OpSpec("DnnRNNOp", shape=steps, gpu_memory=with_workspace("cuDNN's recurrent nets")),
    OpSpec("DnnTransformerGradI", shape=of_samples),
    OpSpec("DnnTransformerGradT", shape=of_transformation),
    OpSpec("DnnTransformerGrid", shape=grid),
    OpSpec("DnnTransformerSampler", shape=sampled),
    *alike("Prepend_scalar_constant_to_each_row Prepend_scalar_to_each_row", shape=one_more_column),
    OpSpec("Softmax", shape=Like(0), dtype=as_input(0)),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
