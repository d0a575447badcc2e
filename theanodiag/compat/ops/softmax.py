"""Softmax Ops of `theano.tensor.nnet.nnet`, which work on the rows of a matrix."""

import warnings
from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.math import exp, neg
from pytensor.tensor.math import sum as total
from pytensor.tensor.shape import shape_padleft
from pytensor.tensor.type import float_dtypes

from .op import LegacyOp, is_connected


def _matrix(x: Any, name: str) -> Variable:
    """`x` as a float matrix. A vector becomes a matrix of one row, with a warning that names the Op `name`. Raises
    ValueError for others."""
    x = as_tensor_variable(x)
    if x.type.ndim not in (1, 2) or x.type.dtype not in float_dtypes:
        raise ValueError("x must be 1-d or 2-d tensor of floats. Got {}".format(x.type))
    if x.ndim == 1:
        message = (
            "DEPRECATION: If x is a vector, {} will not automatically pad x anymore in next releases. If you need it, please do it "
            "manually. The vector case is gonna be supported soon and the output will be a vector."
        )
        warnings.warn(message.format(name), stacklevel=5)
        x = shape_padleft(x, n_ones=1)
    return x


def rows_softmax(x: Any) -> Any:
    """Returns the softmax of each row of a numpy matrix, with sums in float64, as Theano's C code does."""
    if x.size == 0:
        return np.zeros_like(x)
    values = np.exp(x - x.max(axis=1, keepdims=True))
    return (values * (1.0 / values.sum(axis=1, keepdims=True, dtype="float64"))).astype(x.dtype, copy=False)


def rows_logsoftmax(x: Any) -> Any:
    """Returns the logarithm of the softmax of each row of a numpy matrix, with sums in float64."""
    if x.size == 0:
        return np.zeros_like(x)
    values = x - x.max(axis=1, keepdims=True)
    return (values - np.log(np.exp(values).sum(axis=1, keepdims=True, dtype="float64"))).astype(x.dtype, copy=False)


class _SoftmaxOp(LegacyOp):
    """Base class of this module's Ops: no parameters, one output with the shape of the first input."""

    __props__ = ()
    nout = 1

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the first input."""
        return [shapes[0]]


class Softmax(_SoftmaxOp):
    """Softmax of each row of a matrix."""

    nin = 1

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a float matrix, or a vector as a matrix of one row. Raises ValueError otherwise."""
        x = _matrix(x, "Softmax")
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the softmax by rows_softmax."""
        output_storage[0][0] = rows_softmax(inputs[0])

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """SoftmaxGrad of the output and its gradient."""
        return [softmax_grad(cotangents[0], outputs[0])]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """The pullback applied to the tangent: the Jacobian is symmetric."""
        return self.pullback(inputs, outputs, tangents) if is_connected(tangents[0]) else [DisconnectedType()()]


class LogSoftmax(_SoftmaxOp):
    """Logarithm of the softmax of each row of a matrix, without computing the softmax."""

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a float matrix, or a vector as a matrix of one row. Raises ValueError otherwise."""
        x = _matrix(x, "LogSoftmax")
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the logarithm of the softmax by rows_logsoftmax."""
        output_storage[0][0] = rows_logsoftmax(inputs[0])

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """g - sum(g) * softmax(x), row by row."""
        (g,) = cotangents
        return [g - total(g, axis=1, keepdims=True) * softmax_op(inputs[0])]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> Any:
        """t - sum(softmax(x) * t), row by row."""
        (t,) = tangents
        if not is_connected(t):
            return [DisconnectedType()()]
        return [t - total(softmax_op(inputs[0]) * t, axis=1, keepdims=True)]


class SoftmaxWithBias(_SoftmaxOp):
    """softmax(x + b) of each row of the matrix x, for a vector b."""

    nin = 2

    def make_node(self, x: Any, b: Any) -> Apply:
        """Makes the Apply node for a float matrix `x` and a float vector `b`. Raises ValueError otherwise."""
        x, b = as_tensor_variable(x), as_tensor_variable(b)
        if x.type.ndim != 2 or x.type.dtype not in float_dtypes:
            raise ValueError("x must be 2-d tensor of floats")
        if b.type.ndim != 1 or b.type.dtype not in float_dtypes:
            raise ValueError("b must be 1-d tensor of floats")
        return Apply(self, [x, b], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls rows_softmax. Raises ValueError if `b` has another number of elements than `x` has columns."""
        x, b = inputs
        if b.shape[0] != x.shape[1]:
            raise ValueError("b must have same number of columns as x")
        output_storage[0][0] = rows_softmax(x + b).astype(x.dtype, copy=False)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """SoftmaxGrad for x, and its sum over the rows for b."""
        if not is_connected(cotangents[0]):
            return [DisconnectedType()(), DisconnectedType()()]
        gradient = softmax_grad(cotangents[0], outputs[0])
        return [gradient, total(gradient, axis=0)]


class SoftmaxGrad(_SoftmaxOp):
    """(gradient of a softmax's output, that output) -> gradient of the scores."""

    nin = 2

    def make_node(self, dy: Any, sm: Any) -> Apply:
        """Makes the Apply node for two float matrices, or vectors as matrices of one row. Raises ValueError otherwise."""
        dy, sm = as_tensor_variable(dy), as_tensor_variable(sm)
        if dy.type.ndim not in (1, 2) or dy.type.dtype not in float_dtypes:
            raise ValueError("dy must be 1-d or 2-d tensor of floats. Got ", dy.type)
        dy, sm = (shape_padleft(v, n_ones=1) if v.ndim == 1 else v for v in (dy, sm))
        return Apply(self, [dy, sm], [sm.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """dy * sm - sum(dy * sm) * sm, row by row."""
        dy, sm = inputs
        product = dy * sm
        gradient = product - product.sum(axis=1, keepdims=True) * sm
        output_storage[0][0] = gradient.astype(sm.dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the softmax."""
        return [shapes[1]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Second derivatives: with respect to dy, in which the output is linear, and sm, in which it is quadratic."""
        dy, sm = inputs
        (g,) = cotangents
        inner = g + neg(total(g * sm, axis=1, keepdims=True))
        return [inner * sm, inner * dy - g * total(dy * sm, axis=1, keepdims=True)]


softmax_op = Softmax()
logsoftmax_op = LogSoftmax()
softmax_with_bias = SoftmaxWithBias()
softmax_grad = SoftmaxGrad()


def softmax(c: Any) -> Variable:
    """Returns the softmax of each row of a matrix, or of a vector as one row; warns if rows have length 1."""
    c = as_tensor_variable(c)
    if c.type.ndim and c.type.broadcastable[-1]:
        message = "The softmax is applied on a dimension of shape 1, which does not have a semantic meaning."
        warnings.warn(message, stacklevel=2)
    return softmax_op(c)


def logsoftmax(c: Any) -> Variable:
    """Returns the logarithm of the softmax of each row of a matrix or of a vector as one row."""
    return logsoftmax_op(c)


def softmax_graph(c: Any) -> Variable:
    """Returns the softmax along the last axis, written with exp and sum instead of a softmax Op."""
    values = exp(as_tensor_variable(c))
    return values / values.sum(axis=-1, keepdims=True)


AESARA = {"softmax": None, "logsoftmax": None}
"""Scripts that import aesara get PyTensor's own softmax and logsoftmax, which accept any rank and an axis."""
