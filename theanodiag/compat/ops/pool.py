"""Pooling with Theano's interface: Pool, its gradients, and pool_2d and pool_3d (`theano.tensor.signal.pool`)."""

import warnings
from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Constant, Variable
from pytensor.tensor.basic import as_tensor_variable, get_scalar_constant_value, switch, zeros_like
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import ge, maximum
from pytensor.tensor.type import TensorType, int_dtypes

from . import pool_kernels as kernels
from .op import LegacyOp, flags, is_connected, no_gradient

MODES = ("max", "sum", "average_inc_pad", "average_exc_pad")
"""Values of `mode`: the maximum, sum or average of a window; averages include the padding (`inc`) or exclude it (`exc`)."""


def _old_name(old: str, new: str, old_value: Any, new_value: Any, default: Any = None) -> Any:
    """The value of an argument that may be given by its old name, with a deprecation warning. Raises ValueError if both names are given."""
    if old_value is None:
        return new_value
    if new_value is not None and new_value != default:
        message = "You can't provide a tuple value to both '{1}' and '{0}'. Please provide a value only to '{1}'."
        raise ValueError(message.format(old, new))
    message = "DEPRECATION: the '{}' parameter is not going to exist anymore as it is going to be replaced by the parameter '{}'."
    warnings.warn(message.format(old, new), stacklevel=4)
    return old_value


def _arguments(ws: Any, stride: Any, pad: Any, ds: Any, st: Any, padding: Any, ndim: int) -> tuple[Any, Any, Any]:
    """(window, stride, padding), each from its new or its old name. Raises ValueError if no window is given."""
    if ds is None and ws is None:
        raise ValueError("You must provide a tuple value for the window size.")
    ws = _old_name("ds", "ws", ds, ws)
    stride = _old_name("st", "stride", st, stride)
    return ws, stride, _old_name("padding", "pad", padding, pad, default=(0,) * ndim)


def _pooled(
    input: Any, ws: Any, ignore_border: Any, stride: Any, pad: Any, mode: str, ds: Any, st: Any, padding: Any, ndim: int
) -> Variable:
    name = "pool_{}d".format(ndim)
    ws, stride, pad = _arguments(ws, stride, pad, ds, st, padding, ndim)
    input = as_tensor_variable(input)
    if input.ndim < ndim:
        raise NotImplementedError("{} requires a dimension >= {}".format(name, ndim))
    if ignore_border is None:
        message = (
            "{}() will have the parameter ignore_border default value changed to True (currently False). To have consistent behavior with "
            "all Theano version, explicitly add the parameter ignore_border=True."
        )
        warnings.warn(message.format(name), stacklevel=3)
        ignore_border = False
    return Pool(ignore_border, ndim=ndim, mode=mode)(input, ws, stride, pad)


def pool_2d(
    input: Any,
    ws: Any = None,
    ignore_border: Any = None,
    stride: Any = None,
    pad: Any = (0, 0),
    mode: str = "max",
    ds: Any = None,
    st: Any = None,
    padding: Any = None,
) -> Variable:
    """Pools the last two axes with windows of shape `ws`; `ds`, `st` and `padding` are older names of `ws`, `stride` and `pad`."""
    return _pooled(input, ws, ignore_border, stride, pad, mode, ds, st, padding, 2)


def pool_3d(
    input: Any,
    ws: Any = None,
    ignore_border: Any = None,
    stride: Any = None,
    pad: Any = (0, 0, 0),
    mode: str = "max",
    ds: Any = None,
    st: Any = None,
    padding: Any = None,
) -> Variable:
    """Pools the last three axes; arguments as in pool_2d."""
    return _pooled(input, ws, ignore_border, stride, pad, mode, ds, st, padding, 3)


def max_pool_2d_same_size(input: Any, patch_size: Any) -> Variable:
    """Returns the input with all elements set to zero except the maximum of each patch of shape `patch_size`."""
    output = Pool(True)(input, patch_size)
    return MaxPoolGrad(True)(input, output, output, patch_size)


def _length(image: Any, window: Any, stride: Any, ignore_border: bool) -> Any:
    """Number of windows along an axis, as an int or, where an argument is symbolic, as a Variable."""
    if not any(isinstance(n, Variable) for n in (image, window, stride)):
        return kernels.length(image, window, stride, ignore_border)
    if ignore_border:
        return maximum((image - window) // stride + 1, 0)
    overlapping = maximum(0, (image - 1 - window) // stride + 1) + 1
    return switch(ge(stride, window), (image - 1) // stride + 1, overlapping)


def _constant(n: Any) -> Any:
    """`n` as an int where it is a constant Variable, else `n` itself."""
    if not isinstance(n, Variable):
        return n
    try:
        return int(get_scalar_constant_value(n))
    except NotScalarConstantError:
        return n


class _PoolOp(LegacyOp):
    """Options of Pool and of its gradients; the last three inputs are window, stride and padding."""

    __props__ = ("ignore_border", "mode", "ndim")
    ndim: int
    mode: str
    ignore_border: bool

    def _set(self, ignore_border: bool, mode: str, ndim: int) -> None:
        mode = "max" if mode == "max_deterministic" else mode
        if mode not in MODES:
            message = "Pool mode parameter only support 'max', 'sum', 'average_inc_pad' and 'average_exc_pad'. Got {}"
            raise ValueError(message.format(mode))
        self.ignore_border, self.mode, self.ndim = ignore_border, mode, ndim

    @staticmethod
    def out_shape(
        imgshape: Any,
        ws: Any = None,
        ignore_border: bool = False,
        stride: Any = None,
        pad: Any = None,
        ndim: Any = 2,
        ds: Any = None,
        st: Any = None,
        padding: Any = None,
    ) -> list[Any]:
        """Returns the shape of the pooled array for an input of shape `imgshape`, whose lengths may be ints or Variables.

        TypeError if it has fewer than `ndim` axes.
        """
        ndim = 2 if ndim is None else ndim
        ws, stride, pad = _arguments(ws, stride, pad, ds, st, padding, ndim)
        if len(imgshape) < ndim:
            raise TypeError("imgshape must have at least {} dimensions".format(ndim))
        stride = ws if stride is None else stride
        pad = (0,) * ndim if pad is None else pad
        image = list(imgshape)[len(imgshape) - ndim :]
        lengths = [_length(_constant(n) + pad[i] * 2, ws[i], stride[i], ignore_border) for i, n in enumerate(image)]
        return [*list(imgshape)[: len(imgshape) - ndim], *lengths]

    def _where(self, ws: Any, stride: Any, pad: Any, checked: bool) -> list[Variable]:
        """Window, stride and padding as integer vectors.

        Raises TypeError, AssertionError or NotImplementedError for values that Theano rejects.
        """
        stride = ws if stride is None else stride
        pad = (0,) * self.ndim if pad is None else pad
        if checked and isinstance(pad, (tuple, list)) and not any(isinstance(p, Variable) for p in pad):
            if max(pad) != 0 and not self.ignore_border:
                raise NotImplementedError("padding works only with ignore_border=True")
            if isinstance(ws, (tuple, list)) and any(not isinstance(w, Variable) and p >= w for p, w in zip(pad, ws)):
                raise NotImplementedError("padding must be smaller than strides")
        variables = [as_tensor_variable(v) for v in (ws, stride, pad)]
        for name, variable in zip(("Pool downsample", "Stride", "Padding"), variables):
            if variable.dtype not in int_dtypes:
                raise TypeError("{} parameters must be ints.".format(name))
            if variable.ndim != 1:
                raise AssertionError("{} parameters must be a vector, got {}".format(name, variable.type))
        return variables

    def _images(self, *images: Any) -> list[Variable]:
        """`images` as Variables. Raises TypeError where they have fewer than `ndim` axes, AssertionError where their ranks differ."""
        variables = [as_tensor_variable(x) for x in images]
        if variables[0].ndim < self.ndim:
            raise TypeError("{} pools {} axes, but the input has {}".format(self, self.ndim, variables[0].ndim))
        if len({x.ndim for x in variables}) != 1:
            raise AssertionError("inputs of {} must have equally many axes, got {}".format(self, [x.ndim for x in variables]))
        return variables

    def windows(self, where: Any) -> kernels.Windows:
        """Returns the windows for the values of the Op's last three inputs. Raises ValueError for wrong lengths, or padding without
        `ignore_border`.
        """
        sizes, strides, pads = (tuple(int(n) for n in values) for values in where)
        if not len(sizes) == len(strides) == len(pads) == self.ndim:
            message = "window, stride and padding must have {} elements, got {}, {} and {}"
            raise ValueError(message.format(self.ndim, sizes, strides, pads))
        if any(pads) and not self.ignore_border:
            raise ValueError("padding must be zero when ignore border is False")
        return kernels.Windows(sizes, strides, pads, bool(self.ignore_border))

    def constant_windows(self, node: Apply) -> Any:
        """Returns the windows of `node` where its last three inputs are constants, else None."""
        where = node.inputs[-3:]
        return self.windows([v.data for v in where]) if all(isinstance(v, Constant) for v in where) else None


class Pool(_PoolOp):
    """Maximum, sum or average (`mode`) of the elements in each window over the last `ndim` axes."""

    def __init__(self, ignore_border: bool = False, mode: str = "max", ndim: int = 2, openmp: Any = None) -> None:
        self._set(ignore_border, mode, ndim)

    def make_node(self, x: Any, ws: Any, stride: Any = None, pad: Any = None) -> Apply:
        """Makes the Apply node for (input, window, stride, padding); stride defaults to the window, padding to 0."""
        (x,) = self._images(x)
        pattern = x.type.broadcastable[: x.ndim - self.ndim] + (False,) * self.ndim
        return Apply(self, [x, *self._where(ws, stride, pad, checked=True)], [TensorType(x.dtype, shape=flags(pattern))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Pools the input by pool_kernels.pool."""
        x, *where = inputs
        output_storage[0][0] = kernels.pool(x, self.windows(where), self.mode)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the output as symbolic lengths, from `out_shape`."""
        where = [[variable[i] for i in range(self.ndim)] for variable in node.inputs[1:]]
        return [self.out_shape(shapes[0], where[0], self.ignore_border, where[1], where[2], self.ndim)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Only the pooled input is connected to the output; window, stride and padding are not."""
        return [[True], [False], [False], [False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """MaxPoolGrad for mode "max", else AveragePoolGrad."""
        x, *where = inputs
        if self.mode == "max":
            gradient = MaxPoolGrad(self.ignore_border, self.ndim)(x, outputs[0], cotangents[0], *where)
        else:
            gradient = AveragePoolGrad(self.ignore_border, self.mode, self.ndim)(x, cotangents[0], *where)
        return [gradient, *no_gradient(where)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """Returns the pooled tangent for sums and averages, which are linear; for "max" the tangent at the maxima."""
        x, *where = inputs
        if not is_connected(tangents[0]):
            return [DisconnectedType()()]
        if self.mode != "max":
            return [self(tangents[0], *where)]
        return [DownsampleFactorMaxGradGrad(self.ignore_border, self.mode, self.ndim)(x, outputs[0], tangents[0], *where)]


class PoolGrad(_PoolOp):
    """Base class of MaxPoolGrad and AveragePoolGrad, whose output has the shape of the pooled Op's input."""

    def __init__(self, ignore_border: bool, mode: str = "max", ndim: int = 2, openmp: Any = None) -> None:
        self._set(ignore_border, mode, ndim)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the first input."""
        return [shapes[0]]


class MaxPoolGrad(PoolGrad):
    """Gradient of the input of a Pool of mode "max"."""

    def __init__(self, ignore_border: bool, ndim: int = 2, openmp: Any = None) -> None:
        super().__init__(ignore_border, "max", ndim)

    def make_node(self, x: Any, maxout: Any, gz: Any, ws: Any, stride: Any = None, pad: Any = None) -> Apply:
        """Makes the Apply node for (input x, pooled output maxout, gradient gz of maxout, window, stride, padding)."""
        x, maxout, gz = self._images(x, maxout, gz)
        return Apply(self, [x, maxout, gz, *self._where(ws, stride, pad, checked=False)], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the gradient by pool_kernels.max_gradient."""
        x, maxout, gz, *where = inputs
        gradient = kernels.max_gradient(x, maxout, gz, self.windows(where))
        output_storage[0][0] = gradient.astype(node.outputs[0].dtype, copy=False)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """x, maxout and gz are connected to the output; window, stride and padding are not."""
        return [[True]] * 3 + [[False]] * 3

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of gz by DownsampleFactorMaxGradGrad; zeros for x and maxout, because the positions of the maxima count as
        constant.
        """
        x, maxout, _, *where = inputs
        again = DownsampleFactorMaxGradGrad(self.ignore_border, ndim=self.ndim)(x, maxout, cotangents[0], *where)
        return [zeros_like(x), zeros_like(maxout), again, *no_gradient(where)]


class AveragePoolGrad(PoolGrad):
    """Gradient of the input of a Pool of mode "sum" or an average."""

    def __init__(self, ignore_border: bool, mode: str = "average_inc_pad", ndim: int = 2) -> None:
        if mode not in MODES[1:]:
            raise AssertionError("mode must be one of {}, got {}".format(MODES[1:], mode))
        super().__init__(ignore_border, mode, ndim)

    def make_node(self, x: Any, gz: Any, ws: Any, stride: Any = None, pad: Any = None, dummy: Any = None) -> Apply:
        """Makes the Apply node for (input x, gradient gz of the pooled output, window, stride, padding)."""
        x, gz = self._images(x, gz)
        return Apply(self, [x, gz, *self._where(ws, stride, pad, checked=False)], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the gradient by pool_kernels.average_gradient."""
        x, gz, *where = inputs
        gradient = kernels.average_gradient(x, gz, self.windows(where), self.mode)
        output_storage[0][0] = gradient.astype(node.outputs[0].dtype, copy=False)

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """x and gz are connected to the output; window, stride and padding are not."""
        return [[True]] * 2 + [[False]] * 3

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of gz by Pool, since the Op is linear in gz; zeros for x."""
        x, _, *where = inputs
        pooled = Pool(self.ignore_border, self.mode, self.ndim)(cotangents[0], *where)
        return [zeros_like(x), pooled, *no_gradient(where)]


class DownsampleFactorMaxGradGrad(_PoolOp):
    """Gathers `gz` at the maxima of each window of x and sums it: the adjoint of MaxPoolGrad in gz."""

    def __init__(self, ignore_border: bool, mode: str = "max", ndim: int = 2, openmp: Any = None) -> None:
        if mode != "max":
            raise AssertionError("mode must be max, got {}".format(mode))
        self._set(ignore_border, mode, ndim)

    def make_node(self, x: Any, maxout: Any, gz: Any, ws: Any, stride: Any = None, pad: Any = None) -> Apply:
        """Makes the Apply node for (input x, pooled output maxout, array gz shaped like x, window, stride, padding)."""
        x, maxout, gz = self._images(x, maxout, gz)
        output = TensorType(x.dtype, shape=flags(maxout.type.broadcastable))
        return Apply(self, [x, maxout, gz, *self._where(ws, stride, pad, checked=True)], [output()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Gathers and sums by pool_kernels.max_gradient_of_gradient."""
        x, maxout, ggx, *where = inputs
        values = kernels.max_gradient_of_gradient(x, maxout, ggx, self.windows(where))
        output_storage[0][0] = values.astype(node.outputs[0].dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of maxout."""
        return [shapes[1]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """x, maxout and gz are connected to the output; window, stride and padding are not."""
        return [[True]] * 3 + [[False]] * 3

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of gz by MaxPoolGrad, and zeros for x and maxout."""
        x, maxout, _, *where = inputs
        gradient = MaxPoolGrad(self.ignore_border, self.ndim)(x, maxout, cotangents[0], *where)
        return [zeros_like(x), zeros_like(maxout), gradient, *no_gradient(where)]


class MaxPoolRop(_PoolOp):
    """Gathers `eval_point` at the first maximum of each window of x."""

    def __init__(self, ignore_border: bool = False, mode: str = "max", ndim: int = 2, openmp: Any = None) -> None:
        if mode != "max":
            raise AssertionError("mode must be max, got {}".format(mode))
        self._set(ignore_border, mode, ndim)

    def make_node(self, x: Any, eval_point: Any, ws: Any, stride: Any = None, pad: Any = None) -> Apply:
        """Makes the Apply node for (input x, array eval_point shaped like x, window, stride, padding)."""
        x, eval_point = self._images(x, eval_point)
        pattern = x.type.broadcastable[: x.ndim - self.ndim] + (False,) * self.ndim
        output = TensorType(eval_point.dtype, shape=flags(pattern))
        return Apply(self, [x, eval_point, *self._where(ws, stride, pad, checked=True)], [output()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Gathers by pool_kernels.at_maximum."""
        x, tangent, *where = inputs
        output_storage[0][0] = np.ascontiguousarray(kernels.at_maximum(x, tangent, self.windows(where)))

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the output as symbolic lengths, from `out_shape`."""
        where = [[variable[i] for i in range(self.ndim)] for variable in node.inputs[2:]]
        return [self.out_shape(shapes[0], where[0], self.ignore_border, where[1], where[2], self.ndim)]
