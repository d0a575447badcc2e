"""Batch normalisation of `theano.tensor.nnet.bn`: functions, Ops, and the rewrites that replace the Ops by elementwise operations."""

from typing import Any

import numpy as np
from pytensor import config
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.scalar.basic import upcast
from pytensor.tensor.basic import as_tensor_variable, cast, fill
from pytensor.tensor.math import mean as average
from pytensor.tensor.math import prod, reciprocal, sqrt
from pytensor.tensor.math import sum as total
from pytensor.tensor.rewriting.basic import register_specialize
from pytensor.tensor.shape import specify_broadcastable

from .op import LegacyOp, is_connected, no_gradient, restored


def batch_normalization(inputs: Any, gamma: Any, beta: Any, mean: Any, std: Any, mode: str = "low_mem") -> Variable:
    """Returns (inputs - mean) / std * gamma + beta.

    Mode "high_mem" computes gamma / std first, "low_mem" divides the inputs by std. Raises ValueError for another mode.
    """
    if mode == "low_mem":
        return (inputs - mean) / std * gamma + beta
    if mode == "high_mem":
        return (inputs - mean) * (gamma / std) + beta
    raise ValueError('mode must be either "low_mem", "high_mem"')


def _prepare_batch_normalization_axes(axes: Any, ndim: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """(axes that are normalised over, the other axes), both sorted. Raises ValueError for axes that `ndim` dimensions do not have."""
    if isinstance(axes, str) and axes == "per-activation":
        axes = (0,)
    elif isinstance(axes, str) and axes == "spatial":
        axes = (0, *range(2, ndim))
    elif not isinstance(axes, (tuple, list, np.ndarray)):
        raise ValueError("invalid axes: {}".format(axes))
    axes = tuple(sorted(int(a) for a in axes))
    if not axes:
        raise ValueError("there should be at least one normalization axis")
    if min(axes) < 0 or max(axes) >= ndim:
        raise ValueError("axes should be less than ndim (<{}), but {} given".format(ndim, axes))
    return axes, tuple(i for i in range(ndim) if i not in axes)


def _check_dimensions(name: str, variable: Any, wanted: int) -> None:
    if variable.ndim != wanted:
        message = "{} dimensionality must match the number of non-normalized axes, or be that of the inputs; got {} instead of {}"
        raise ValueError(message.format(name, variable.ndim, wanted))


class _Parameters:
    """Converts parameters between the rank in which the caller gave them and the rank of the inputs."""

    def __init__(self, inputs: Any, gamma: Any, axes: Any) -> None:
        self.ndim = inputs.ndim
        self.axes, self.others = _prepare_batch_normalization_axes(axes, inputs.ndim)
        self.wanted = self.ndim if gamma.ndim == self.ndim else len(self.others)

    def wide(self, parameter: Any) -> Variable:
        """Returns `parameter` with the rank of the inputs and length 1 along the normalised axes."""
        parameter = as_tensor_variable(parameter)
        if self.wanted == self.ndim:
            return specify_broadcastable(parameter, *self.axes)
        return parameter.dimshuffle([self.others.index(i) if i in self.others else "x" for i in range(self.ndim)])

    def narrow(self, value: Variable) -> Variable:
        """Returns `value`, which has the rank of the inputs, converted to the rank of the parameters."""
        return value if self.wanted == self.ndim else value.dimshuffle(self.others)


def _checked_epsilon(epsilon: Any) -> Any:
    epsilon = np.asarray(epsilon, dtype=config.floatX)
    if epsilon < 1e-5:
        raise ValueError("epsilon must be at least 1e-5, got {}".format(epsilon))
    return epsilon


def batch_normalization_train(
    inputs: Any,
    gamma: Any,
    beta: Any,
    axes: Any = "per-activation",
    epsilon: Any = 1e-4,
    running_average_factor: Any = 0.1,
    running_mean: Any = None,
    running_var: Any = None,
) -> tuple[Variable, ...]:
    """Normalises `inputs` with their own mean and variance over `axes`: (out, mean, 1 / standard deviation).

    Where running_mean and running_var are given, the new running mean and variance follow. `axes` is "per-activation" (axis 0), "spatial"
    (all axes but 1) or a tuple. ValueError for parameters of the wrong rank and for epsilon below 1e-5.
    """
    inputs, gamma, beta = as_tensor_variable(inputs), as_tensor_variable(gamma), as_tensor_variable(beta)
    parameters = _Parameters(inputs, gamma, axes)
    for name, variable in (("gamma", gamma), ("beta", beta)):
        _check_dimensions(name, variable, parameters.wanted)
    if (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be given or both be None")
    for name, variable in (("running_mean", running_mean), ("running_var", running_var)):
        if variable is not None:
            _check_dimensions(name, as_tensor_variable(variable), parameters.wanted)
    op, epsilon = AbstractBatchNormTrain(axes=parameters.axes), _checked_epsilon(epsilon)
    wide = [parameters.wide(v) for v in (gamma, beta)]
    if running_mean is None:
        out, *rest = op(inputs, *wide, epsilon=epsilon)
    else:
        running = [parameters.wide(v) for v in (running_mean, running_var)]
        out, mean, invstd, *new = op(inputs, *wide, epsilon, running_average_factor, *running)
        rest = [mean, invstd, *(restored(value, old) for value, old in zip(new, running))]
    return (out, *(parameters.narrow(value) for value in rest))


def batch_normalization_test(
    inputs: Any, gamma: Any, beta: Any, mean: Any, var: Any, axes: Any = "per-activation", epsilon: Any = 1e-4
) -> Variable:
    """Normalises `inputs` with the given `mean` and `var`; axes and errors as in batch_normalization_train."""
    inputs, gamma = as_tensor_variable(inputs), as_tensor_variable(gamma)
    beta, mean, var = as_tensor_variable(beta), as_tensor_variable(mean), as_tensor_variable(var)
    parameters = _Parameters(inputs, gamma, axes)
    for name, variable in (("gamma", gamma), ("beta", beta), ("mean", mean), ("var", var)):
        _check_dimensions(name, variable, parameters.wanted)
    wide = [parameters.wide(v) for v in (gamma, beta, mean, var)]
    return AbstractBatchNormInference(axes=parameters.axes)(inputs, *wide, epsilon=_checked_epsilon(epsilon))


def _common_dtype(*variables: Variable) -> list[Variable]:
    dtype = upcast(*(v.dtype for v in variables))
    return [v if v.dtype == dtype else cast(v, dtype) for v in variables]


class _BatchNorm(LegacyOp):
    """Base class of the batch normalisation Ops: the normalised axes, and checks of ranks."""

    __props__ = ("axes",)

    def __init__(self, axes: Any = (0,)) -> None:
        if not isinstance(axes, (tuple, list)) or not axes:
            raise AssertionError("axes must be a tuple with at least one element, got {}".format(axes))
        self.axes = tuple(int(a) for a in axes)

    def check(self, x: Any) -> None:
        """Raises ValueError if one of the normalised axes is not an axis of `x`."""
        if min(self.axes) < 0 or max(self.axes) >= x.ndim:
            raise ValueError("axes should be less than ndim (<{}), but {} given".format(x.ndim, self.axes))

    def same_ndim(self, *variables: Variable) -> None:
        """Raises AssertionError unless all `variables` have one rank."""
        if len({v.ndim for v in variables}) != 1:
            raise AssertionError("{}: all must have the same number of axes, got {}".format(self, [v.type for v in variables]))


class AbstractBatchNormTrain(_BatchNorm):
    """(x, scale, bias, epsilon, factor[, running mean, running variance]) -> (out, mean, 1 / std[, new running mean, variance])."""

    def make_node(
        self,
        x: Any,
        scale: Any,
        bias: Any,
        epsilon: Any = 1e-4,
        running_average_factor: Any = 0.1,
        running_mean: Any = None,
        running_var: Any = None,
    ) -> Apply:
        """Makes the Apply node, with all inputs but epsilon and the factor cast to a common dtype.

        Raises AssertionError unless all have the rank of `x`.
        """
        if (running_mean is None) != (running_var is None):
            raise AssertionError("running_mean and running_var must either both be given or both be None")
        running = [] if running_mean is None else [as_tensor_variable(running_mean), as_tensor_variable(running_var)]
        variables = [as_tensor_variable(v) for v in (x, scale, bias)] + running
        self.same_ndim(*variables)
        x, scale, bias, *running = _common_dtype(*variables)
        inputs = [x, scale, bias, as_tensor_variable(epsilon), as_tensor_variable(running_average_factor), *running]
        return Apply(self, inputs, [x.type(), scale.type(), scale.type(), *(scale.type() for _ in running)])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of `x` for the first output, and the shape of the scale for all others."""
        return [shapes[0]] + [shapes[1]] * (len(node.outputs) - 1)

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes with numpy the formulas of the graph that `local_abstract_batch_norm_train` builds."""
        x, scale, bias, epsilon, factor, *running = inputs
        self.check(x)
        mean, var = x.mean(self.axes, keepdims=True), x.var(self.axes, keepdims=True)
        invstd = 1.0 / np.sqrt(var + epsilon)
        results = [(x - mean) * (scale * invstd) + bias, mean, invstd]
        if running:
            m = float(x.size / scale.size)
            results += [running[0] * (1.0 - factor) + mean * factor, running[1] * (1.0 - factor) + m / (m - 1) * var * factor]
        for storage, value, output in zip(output_storage, results, node.outputs):
            storage[0] = value.astype(output.dtype, copy=False)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """x, scale and bias are connected to out, mean and 1 / std; each new running statistic to x and its old value.

        Epsilon and the factor are connected to nothing.
        """
        running = len(node.inputs) - 5
        rows = [[True] * 3 + [True] * running] + [[True] * 3 + [False] * running for _ in range(2)]
        rows += [[False] * (3 + running) for _ in range(2)]
        return rows + [[False] * (3 + i) + [True] + [False] * (running - 1 - i) for i in range(running)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of x, scale and bias from the gradient of `out` alone: gradients of the statistics are ignored, as in
        Theano.
        """
        x, scale, _, epsilon = inputs[:4]
        gradients = AbstractBatchNormTrainGrad(self.axes)(x, cotangents[0], scale, outputs[1], outputs[2], epsilon)
        return [*gradients, *no_gradient(inputs[3:])]


class AbstractBatchNormTrainGrad(_BatchNorm):
    """(x, gradient of out, scale, mean, 1 / std, epsilon) -> gradients of (x, scale, bias)."""

    def make_node(self, x: Any, dy: Any, scale: Any, x_mean: Any, x_invstd: Any, epsilon: Any = 1e-4) -> Apply:
        """Makes the Apply node, with all inputs but epsilon cast to a common dtype.

        Raises AssertionError unless all have the rank of `x`.
        """
        variables = [as_tensor_variable(v) for v in (x, dy, scale, x_mean, x_invstd)]
        self.same_ndim(*variables)
        x, dy, scale, x_mean, x_invstd = _common_dtype(*variables)
        inputs = [x, dy, scale, x_mean, x_invstd, as_tensor_variable(epsilon)]
        return Apply(self, inputs, [x.type(), scale.type(), scale.type()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of x for the gradient of x, and the shape of the scale for those of scale and bias."""
        return [shapes[0], shapes[2], shapes[2]]

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes with numpy the formulas of the graph that `local_abstract_batch_norm_train_grad` builds."""
        x, dy, scale, mean, invstd, _ = inputs
        self.check(x)
        options: dict[str, Any] = {"axis": self.axes, "keepdims": True}
        difference = x - mean
        c = dy * invstd - difference * np.mean(dy * difference, **options) * invstd**3
        results = [scale * (c - np.mean(c, **options)), np.sum(dy * invstd * difference, **options), np.sum(dy, **options)]
        for storage, value, output in zip(output_storage, results, node.outputs):
            storage[0] = value.astype(output.dtype, copy=False)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only dy is connected to the bias gradient; scale is connected to the x gradient alone, epsilon to nothing."""
        return [[True, True, False], [True] * 3, [True, False, False], [True, True, False], [True, True, False], [False] * 3]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Second derivatives: differentiates the formulas of `perform` for each output whose gradient is connected."""
        x, dy, scale, mean, invstd, _ = inputs
        g_x, g_scale, g_bias = cotangents
        options: dict[str, Any] = {"axis": self.axes, "keepdims": True}
        difference = x - mean
        product = average(dy * difference, **options)
        c = dy * invstd - difference * product * invstd**3
        terms: dict[str, list[Any]] = {name: [] for name in ("x", "dy", "scale", "mean", "invstd")}
        if is_connected(g_x):
            # out = scale * (c - mean(c)), c = dy * invstd - difference * product * invstd ** 3
            g_c = scale * (g_x - average(g_x, **options))
            g_product = -total(g_c * difference, **options) * invstd**3
            elements = total(fill(x, 1.0), **options)
            g_difference = -g_c * product * invstd**3 + g_product * dy / elements
            terms["x"].append(g_difference)
            terms["mean"].append(-total(g_difference, **options))
            terms["dy"].append(g_c * invstd + g_product * difference / elements)
            terms["scale"].append(total(g_x * (c - average(c, **options)), **options))
            terms["invstd"].append(total(g_c * dy, **options) - 3 * total(g_c * difference, **options) * product * invstd**2)
        if is_connected(g_scale):
            terms["x"].append(invstd * g_scale * dy)
            terms["dy"].append(invstd * g_scale * difference)
            terms["mean"].append(-invstd * g_scale * total(dy, **options))
            terms["invstd"].append(g_scale * total(dy * difference, **options))
        if is_connected(g_bias):
            terms["dy"].append(fill(dy, g_bias))
        gradients = [sum(parts[1:], parts[0]) if parts else DisconnectedType()() for parts in terms.values()]
        return [*gradients, DisconnectedType()()]


class AbstractBatchNormInference(_BatchNorm):
    """(x, scale, bias, mean, variance, epsilon) -> out."""

    def make_node(self, x: Any, scale: Any, bias: Any, estimated_mean: Any, estimated_variance: Any, epsilon: Any = 1e-4) -> Apply:
        """Makes the Apply node, with all inputs but epsilon cast to a common dtype.

        Raises AssertionError unless all have the rank of `x`.
        """
        variables = [as_tensor_variable(v) for v in (x, scale, bias, estimated_mean, estimated_variance)]
        self.same_ndim(*variables)
        inputs = _common_dtype(*variables)
        return Apply(self, [*inputs, as_tensor_variable(epsilon)], [inputs[0].type()])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of `x`."""
        return [shapes[0]]

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes with numpy the formulas of the graph that `local_abstract_batch_norm_inference` builds."""
        x, scale, bias, mean, variance, epsilon = inputs
        value = (x - mean) * (scale / np.sqrt(variance + epsilon)) + bias
        output_storage[0][0] = value.astype(node.outputs[0].dtype, copy=False)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """All inputs but epsilon are connected to the output."""
        return [[True]] * 5 + [[False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of all inputs but epsilon."""
        x, scale, bias, mean, variance, epsilon = inputs
        (dy,) = cotangents
        self.check(x)
        scale, bias, mean, variance = (specify_broadcastable(v, *self.axes) for v in (scale, bias, mean, variance))
        options: dict[str, Any] = {"axis": self.axes, "keepdims": True}
        shifted = variance + epsilon
        std = sqrt(shifted)
        along = total(dy * (x - mean), **options)
        d_bias = total(dy, **options)
        gradients = [dy * (scale / std), along / std, d_bias, -d_bias * (scale / std), -along * (scale / (2.0 * shifted * std))]
        return [*(restored(g, v) for g, v in zip(gradients, inputs)), DisconnectedType()()]


def _like_variance(epsilon: Variable, variance: Variable) -> Variable:
    return epsilon.astype("float32") if variance.dtype == "float32" and epsilon.dtype == "float64" else epsilon


def _replaced(node: Apply, results: list[Variable]) -> list[Variable]:
    values = [restored(value, output) for value, output in zip(results, node.outputs)]
    copy_stack_trace(node.outputs[0], values)
    return values


@register_specialize("fast_compile")
@node_rewriter([AbstractBatchNormTrain])
def local_abstract_batch_norm_train(fgraph: Any, node: Any) -> Any:
    """Replaces AbstractBatchNormTrain by elementwise operations and sums, which every backend can fuse."""
    x, scale, bias, epsilon, factor, *running = node.inputs
    axes = node.op.axes
    if max(axes) >= x.ndim:
        return None
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    invstd = reciprocal(sqrt(var + _like_variance(epsilon, var)))
    results = [(x - mean) * (scale * invstd) + bias, mean, invstd]
    if running:
        m = cast(prod(x.shape) / prod(scale.shape), config.floatX)
        results.append(running[0] * (1.0 - factor) + mean * factor)
        results.append(running[1] * (1.0 - factor) + (m / (m - 1)) * var * factor)
    return _replaced(node, results)


@register_specialize("fast_compile")
@node_rewriter([AbstractBatchNormTrainGrad])
def local_abstract_batch_norm_train_grad(fgraph: Any, node: Any) -> Any:
    """Replaces AbstractBatchNormTrainGrad by elementwise operations and sums."""
    x, dy, scale, mean, invstd, _ = node.inputs
    axes = node.op.axes
    if max(axes) >= x.ndim:
        return None
    difference = x - mean
    c = dy * invstd - difference * (average(dy * difference, axis=axes, keepdims=True) * invstd**3)
    d_scale = total(dy * invstd * difference, axis=axes, keepdims=True)
    d_x = scale * (c - average(c, axis=axes, keepdims=True))
    return _replaced(node, [d_x, d_scale, total(dy, axis=axes, keepdims=True)])


@register_specialize("fast_compile")
@node_rewriter([AbstractBatchNormInference])
def local_abstract_batch_norm_inference(fgraph: Any, node: Any) -> Any:
    """Replaces AbstractBatchNormInference by elementwise operations."""
    x, scale, bias, mean, variance, epsilon = node.inputs
    value = (x - mean) * (scale / sqrt(variance + _like_variance(epsilon, variance))) + bias
    return _replaced(node, [value])
