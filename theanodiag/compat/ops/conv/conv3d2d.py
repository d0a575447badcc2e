"""Convolution over time and space, computed as a convolution over space (`theano.tensor.nnet.conv3d2d`)."""

from typing import Any

from numpy.lib.stride_tricks import as_strided
from pytensor.compile.mode import optdb
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.rewriting.basic import copy_stack_trace, in2out, node_rewriter
from pytensor.tensor.basic import as_tensor_variable, zeros, zeros_like
from pytensor.tensor.subtensor import set_subtensor

from ..op import LegacyOp, no_gradient
from .functions import conv2d


def get_diagonal_subtensor_view(x: Any, i0: Any, i1: Any) -> Any:
    """Returns the view v of x with v[a, b] = x[a + n - 1 - b, b] for the axes i0 and i1, where n is the length of axis i1.

    The view is n - 1 elements shorter along axis i0. Raises NotImplementedError if axis i0 is shorter than axis i1.
    """
    i0, i1 = int(i0), int(i1)
    if x.shape[i0] < x.shape[i1]:
        raise NotImplementedError("axis {} of {} is shorter than axis {}".format(i0, x.shape, i1))
    start = x[(slice(None),) * i0 + (slice(x.shape[i1] - 1, None),)]
    strides = list(start.strides)
    if x.shape[i1] != 1:
        strides[i1] -= strides[i0]
    return as_strided(start, start.shape, strides)


class _Diagonal(LegacyOp):
    """Base class of DiagonalSubtensor and IncDiagonalSubtensor: the option `inplace`."""

    __props__ = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


class DiagonalSubtensor(_Diagonal):
    """(x, i0, i1) -> get_diagonal_subtensor_view(x, i0, i1), or a copy of it unless `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        if inplace:
            self.view_map = {0: [0]}

    def make_node(self, x: Any, i0: Any, i1: Any) -> Apply:
        """Makes the Apply node for the tensor `x` and the two axes, integer scalars."""
        x = as_tensor_variable(x)
        return Apply(self, [x, as_tensor_variable(i0), as_tensor_variable(i1)], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls get_diagonal_subtensor_view; the result is a view of `x` where `inplace`, else a copy."""
        view = get_diagonal_subtensor_view(*inputs)
        output_storage[0][0] = view if self.inplace else view.copy()

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """`x` is connected to the output, the axes are not."""
        return [[True], [False], [False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of `x` by IncDiagonalSubtensor on zeros."""
        x, i0, i1 = inputs
        return [inc_diagonal_subtensor(zeros_like(x), i0, i1, cotangents[0]), *no_gradient(inputs[1:])]


class IncDiagonalSubtensor(_Diagonal):
    """(x, i0, i1, amt) -> x with `amt` added to its diagonal view; overwrites x where `inplace`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace)
        if inplace:
            self.destroy_map = {0: [0]}

    def make_node(self, x: Any, i0: Any, i1: Any, amt: Any) -> Apply:
        """Makes the Apply node for the tensor `x`, the two axes (integer scalars) and the tensor `amt` to add."""
        x = as_tensor_variable(x)
        return Apply(self, [x, as_tensor_variable(i0), as_tensor_variable(i1), as_tensor_variable(amt)], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Adds `amt` to the view returned by get_diagonal_subtensor_view."""
        x, i0, i1, amount = inputs
        result = x if self.inplace else x.copy()
        view = get_diagonal_subtensor_view(result, i0, i1)
        view += amount
        output_storage[0][0] = result

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of `x`."""
        return [shapes[0]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """`x` and `amt` are connected to the output, the axes are not."""
        return [[True], [False], [False], [True]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the output's gradient for `x`, and its diagonal view for `amt`."""
        _, i0, i1, _ = inputs
        return [cotangents[0], *no_gradient((i0, i1)), diagonal_subtensor(cotangents[0], i0, i1)]


diagonal_subtensor = DiagonalSubtensor(False)
inc_diagonal_subtensor = IncDiagonalSubtensor(False)


@node_rewriter([DiagonalSubtensor, IncDiagonalSubtensor], inplace=True)
def local_inplace_DiagonalSubtensor(fgraph: Any, node: Any) -> Any:
    """Makes DiagonalSubtensor and IncDiagonalSubtensor work in place, where no other node needs their first input."""
    if node.op.inplace:
        return None
    result = type(node.op)(inplace=True)(*node.inputs)
    copy_stack_trace(node.outputs[0], result)
    return [result]


optdb.register(
    "local_inplace_DiagonalSubtensor", in2out(local_inplace_DiagonalSubtensor, ignore_newtrees=True), "fast_run", "inplace", position=60
)


def _border(mode: str) -> str:
    if mode == "same":
        raise NotImplementedError("border mode same is not implemented")
    if mode not in ("valid", "full", "half"):
        raise ValueError("invalid border mode", mode)
    return mode


def _length(mode: str, image: Any, kernel: Any) -> Any:
    """Length of the output along a spatial axis, for the lengths of image and kernel."""
    if mode == "half":
        return image - kernel % 2 + 1
    return image - kernel + 1 if mode == "valid" else image + kernel - 1


def conv3d(signals: Any, filters: Any, signals_shape: Any = None, filters_shape: Any = None, border_mode: Any = "valid") -> Variable:
    """Convolves signals (batch, time, channels, rows, columns) with filters (filters, time, channels, rows, columns).

    Returns (batch, time, filters, rows, columns). `border_mode` is one word or a triple; NotImplementedError if rows and columns differ.
    """
    in_time, in_rows, in_columns = (border_mode,) * 3 if isinstance(border_mode, str) else border_mode
    batch, steps, channels, rows, columns = signals.shape if signals_shape is None else signals_shape
    count, duration, _, height, width = filters.shape if filters_shape is None else filters_shape
    if in_rows != in_columns:
        raise NotImplementedError("height and width bordermodes must match")
    images, kernels = (batch * steps, channels, rows, columns), (count * duration, channels, height, width)
    flat = conv2d(
        signals.reshape(images),
        filters.reshape(kernels),
        input_shape=None if signals_shape is None else images,
        filter_shape=None if filters_shape is None else kernels,
        border_mode=_border(in_rows),
    )
    out_rows, out_columns = _length(in_rows, rows, height), _length(in_rows, columns, width)
    result = flat.reshape((batch, steps, count, duration, out_rows, out_columns))
    if isinstance(duration, int) and duration == 1:
        return result.reshape((batch, steps, count, out_rows, out_columns))
    pad = {"valid": 0, "full": duration - 1, "half": duration // 2}[_border(in_time)]
    if not (isinstance(pad, int) and pad == 0):
        padded = zeros((batch, steps + 2 * pad, count, duration, out_rows, out_columns), dtype=result.dtype)
        result = set_subtensor(padded[:, pad : steps + pad], result)
    return diagonal_subtensor(result, 1, 3).sum(axis=3)
