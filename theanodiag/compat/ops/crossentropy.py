"""Cross-entropies of `theano.tensor.nnet.nnet` with class numbers as targets, and Ops that prepend a column to a matrix."""

from typing import Any

import numpy as np
from pytensor.gradient import DisconnectedType, grad_not_implemented
from pytensor.graph.basic import Apply, Variable
from pytensor.tensor.basic import arange, as_tensor_variable, constant, zeros_like
from pytensor.tensor.math import log, max_and_argmax
from pytensor.tensor.math import sum as total
from pytensor.tensor.subtensor import inc_subtensor
from pytensor.tensor.type import TensorType, discrete_dtypes, float_dtypes

from .op import LegacyOp, flags, is_connected
from .softmax import softmax_with_bias


def _check_classes(classes: Any, rows: int, columns: int) -> None:
    """Raises ValueError unless `classes` has `rows` elements, each from 0 to columns - 1."""
    if classes.shape[0] != rows:
        raise ValueError("y_idx must have same number of rows as x, got {} and {}".format(classes.shape[0], rows))
    if classes.size and (classes.min() < 0 or classes.max() >= columns):
        raise ValueError("y_i value out of bounds: classes from {} to {} of {}".format(classes.min(), classes.max(), columns))


def _vector_of_classes(y_idx: Any) -> Variable:
    y_idx = as_tensor_variable(y_idx)
    if y_idx.type.ndim != 1 or y_idx.type.dtype not in discrete_dtypes:
        raise ValueError("y_idx must be 1-d tensor of [u]ints", y_idx.type)
    return y_idx


class CrossentropySoftmaxArgmax1HotWithBias(LegacyOp):
    """(x, b, classes) -> (-log softmax(x + b) at the class, softmax(x + b), argmax), row by row."""

    nin, nout = 3, 3
    __props__ = ()

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()

    def make_node(self, x: Any, b: Any, y_idx: Any) -> Apply:
        """Makes the Apply node for a float matrix `x`, a float vector `b` and an integer vector `y_idx` with the class of each row."""
        x, b, y_idx = as_tensor_variable(x), as_tensor_variable(b), _vector_of_classes(y_idx)
        if x.type.ndim != 2 or x.type.dtype not in float_dtypes:
            raise ValueError("x must be 2-d tensor of floats", x.type)
        if b.type.ndim != 1 or b.type.dtype not in float_dtypes:
            raise ValueError("b must be 1-d tensor of floats", b.type)
        loss = TensorType(x.type.dtype, shape=flags(y_idx.type.broadcastable))
        return Apply(self, [x, b, y_idx], [loss(), x.type(), y_idx.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes the three outputs from one exponential. Raises ValueError for a class that is not a column of `x`."""
        x, b, classes = inputs
        if b.shape[0] != x.shape[1]:
            raise ValueError("b must have same number of columns as x, got {} and {}".format(b.shape[0], x.shape[1]))
        _check_classes(classes, *x.shape)
        scores = x + b
        largest = scores.argmax(axis=1) if scores.size else np.zeros(len(x), "int64")
        rows = np.arange(len(x))
        top = scores[rows, largest] if scores.size else np.zeros(len(x), x.dtype)
        values = np.exp(scores - top[:, None])
        sums = values.sum(axis=1, dtype="float64")
        loss = top - scores[rows, classes] + np.log(sums) if scores.size else np.zeros(len(x))
        output_storage[0][0] = loss.astype(node.outputs[0].dtype, copy=False)
        output_storage[1][0] = (values * (1.0 / sums)[:, None]).astype(x.dtype, copy=False)
        output_storage[2][0] = largest.astype(classes.dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Loss and argmax have one element for each row, the softmax has the shape of `x`."""
        return [(shapes[0][0],), shapes[0], shapes[2]]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """`x` and `b` are connected to all three outputs, the classes to the argmax only."""
        return [[True, True, True], [True, True, True], [False, False, True]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Sums the gradients through each output that is connected; the argmax contributes zeros."""
        x, b, classes = inputs
        g_loss, g_softmax, g_argmax = cotangents
        dx, db, d_classes = [], [], []
        if is_connected(g_loss):
            dx.append(crossentropy_softmax_1hot_with_bias_dx(g_loss, outputs[1], classes))
            db.append(total(dx[-1], axis=0))
        if is_connected(g_softmax):
            terms = softmax_with_bias.pullback((x, b), [softmax_with_bias(x, b)], (g_softmax,))
            dx.append(terms[0])
            db.append(terms[1])
        if is_connected(g_argmax):
            dx.append(zeros_like(x))
            db.append(zeros_like(b))
            d_classes.append(zeros_like(classes, dtype="float64"))
        return [sum(terms[1:], terms[0]) if terms else DisconnectedType()() for terms in (dx, db, d_classes)]


class CrossentropySoftmax1HotWithBiasDx(LegacyOp):
    """(dy, softmax, classes) -> gradient of the scores `x + b`, where dy is the gradient of the losses."""

    nin, nout = 3, 1
    __props__ = ()

    def make_node(self, dy: Any, sm: Any, y_idx: Any, **kwargs: Any) -> Apply:
        """Makes the Apply node for `dy` (a float vector, or a scalar for all rows), the softmax matrix and the vector of classes."""
        dy, sm, y_idx = as_tensor_variable(dy), as_tensor_variable(sm), _vector_of_classes(y_idx)
        if dy.type.ndim > 1 or dy.type.dtype not in float_dtypes:
            raise ValueError("dy must be {0,1}-d tensor of floats", dy.type)
        if sm.type.ndim != 2 or sm.type.dtype not in float_dtypes:
            raise ValueError("sm must be 2-d tensor of floats", sm.type)
        return Apply(self, [dy, sm, y_idx], [sm.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """(softmax - one-hot of the classes) * dy, row by row."""
        dy, sm, classes = inputs
        _check_classes(classes, *sm.shape)
        gradient = sm.copy()
        gradient[np.arange(len(sm)), classes] -= 1
        output_storage[0][0] = (gradient * np.reshape(dy, (-1, 1))).astype(sm.dtype, copy=False)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the softmax."""
        return [shapes[1]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of dy and of the softmax, on both of which the output depends linearly; not implemented for the classes."""
        dy, sm, classes = inputs
        (g,) = cotangents
        one_off = inc_subtensor(sm[arange(classes.shape[0]), classes], -1.0)
        g_dy = total(g * one_off, axis=1)
        g_sm = g * (dy.dimshuffle(0, "x") if dy.ndim else dy)
        return [g_dy if dy.ndim else g_dy.sum(), g_sm, grad_not_implemented(self, 2, classes)]


class CrossentropyCategorical1Hot(LegacyOp):
    """(probabilities, classes) -> -log of the probability of its class, for each row."""

    __props__ = ()

    def make_node(self, coding_dist: Any, true_one_of_n: Any) -> Apply:
        """Makes the Apply node for a matrix of probabilities and an integer vector with the class of each row."""
        coding, classes = as_tensor_variable(coding_dist), as_tensor_variable(true_one_of_n)
        if coding.type.ndim != 2:
            raise TypeError("matrix required for argument: coding_dist")
        if classes.type.ndim != 1 or classes.type.dtype not in discrete_dtypes:
            raise TypeError("integer vector required for argument: true_one_of_n(got type: {})".format(classes.type))
        return Apply(self, [coding, classes], [TensorType(coding.dtype, shape=(None,))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """-log(coding[row, class]); infinite for a probability of 0."""
        coding, classes = inputs
        with np.errstate(divide="ignore"):
            output_storage[0][0] = -np.log(coding[np.arange(len(coding)), classes])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the output, which has one element for each row of the probabilities."""
        return [(shapes[0][0],)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of the probabilities by CrossentropyCategorical1HotGrad; not implemented for the classes."""
        coding, classes = inputs
        gradient = crossentropy_categorical_1hot_grad(cotangents[0], coding, classes)
        return [gradient, grad_not_implemented(self, 1, classes)]


class CrossentropyCategorical1HotGrad(LegacyOp):
    """(gradient of the losses, probabilities, classes) -> gradient of the probabilities."""

    __props__ = ()

    def make_node(self, g_y: Any, coding_dist: Any, true_one_of_n: Any) -> Apply:
        """Makes the Apply node for the losses' gradient (vector), the matrix of probabilities and the integer vector of classes."""
        inputs = [as_tensor_variable(v) for v in (g_y, coding_dist, true_one_of_n)]
        return Apply(self, inputs, [inputs[1].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """-g / probability at the class of each row, 0 elsewhere."""
        g, coding, classes = inputs
        gradient = np.zeros_like(coding)
        rows = np.arange(len(g))
        with np.errstate(divide="ignore", invalid="ignore"):
            gradient[rows, classes] = -g / coding[rows, classes]
        output_storage[0][0] = gradient

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the probabilities."""
        return [shapes[1]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Second derivatives of -log p at the class of each row; not implemented for the classes."""
        g, coding, classes = inputs
        (gg,) = cotangents
        rows = arange(classes.shape[0])
        there, p = gg[rows, classes], coding[rows, classes]
        g_coding = inc_subtensor(zeros_like(coding)[rows, classes], there * g / p**2)
        return [-there / p, g_coding, grad_not_implemented(self, 2, classes)]


crossentropy_softmax_argmax_1hot_with_bias = CrossentropySoftmaxArgmax1HotWithBias()
crossentropy_softmax_1hot_with_bias_dx = CrossentropySoftmax1HotWithBiasDx()
crossentropy_categorical_1hot = CrossentropyCategorical1Hot()
crossentropy_categorical_1hot_grad = CrossentropyCategorical1HotGrad()


def crossentropy_softmax_1hot_with_bias(x: Any, b: Any, y_idx: Any, **kwargs: Any) -> list[Variable]:
    """Returns [loss of each row, softmax(x + b)], where y_idx holds the class of each row."""
    return list(crossentropy_softmax_argmax_1hot_with_bias(x, b, y_idx, **kwargs)[0:2])


def _no_bias(x: Any) -> Variable:
    return zeros_like(as_tensor_variable(x)[0, :])


def crossentropy_softmax_1hot(x: Any, y_idx: Any, **kwargs: Any) -> list[Variable]:
    """Returns [loss of each row, softmax(x)], where y_idx holds the class of each row."""
    return crossentropy_softmax_1hot_with_bias(x, _no_bias(x), y_idx, **kwargs)


def crossentropy_softmax_max_and_argmax_1hot_with_bias(x: Any, b: Any, y_idx: Any, **kwargs: Any) -> tuple[Variable, ...]:
    """Returns (loss of each row, softmax(x + b), its maximum in each row, the column of that maximum)."""
    loss, softmax = crossentropy_softmax_1hot_with_bias(x, b, y_idx, **kwargs)
    return (loss, softmax, *max_and_argmax(softmax, axis=-1))


def crossentropy_softmax_max_and_argmax_1hot(x: Any, y_idx: Any, **kwargs: Any) -> tuple[Variable, ...]:
    """Returns (loss of each row, softmax(x), its maximum in each row, the column of that maximum)."""
    return crossentropy_softmax_max_and_argmax_1hot_with_bias(x, _no_bias(x), y_idx, **kwargs)


def categorical_crossentropy(coding_dist: Any, true_dist: Any) -> Variable:
    """Returns the cross-entropy of each row of the probabilities `coding_dist`.

    `true_dist` has their rank (probabilities) or one dimension less (class numbers); any other rank raises TypeError.
    """
    coding, true = as_tensor_variable(coding_dist), as_tensor_variable(true_dist)
    if true.ndim == coding.ndim:
        return -total(true * log(coding), axis=coding.ndim - 1)
    if true.ndim == coding.ndim - 1:
        return crossentropy_categorical_1hot(coding, true)
    raise TypeError("rank mismatch between coding and true distributions")


class Prepend_scalar_constant_to_each_row(LegacyOp):
    """Prepends a column filled with the constant `val` to a matrix."""

    __props__ = ()

    def __init__(self, val: Any = 0) -> None:
        self.val = constant(val)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and bool(self.val.data == other.val.data)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), float(self.val.data)))

    def make_node(self, mat: Any) -> Apply:
        """Makes the Apply node for a matrix without broadcastable dimensions. Raises TypeError for anything else."""
        mat = as_tensor_variable(mat)
        if mat.type.ndim != 2 or any(mat.type.broadcastable):
            raise TypeError("Expected a matrix as input")
        return Apply(self, [mat], [TensorType(mat.dtype, shape=(None, None))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Copies the matrix beside the column."""
        output_storage[0][0] = _prepended(self.val.data, inputs[0])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the matrix' shape with one column more."""
        return [(shapes[0][0], shapes[0][1] + 1)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the output's gradient without its first column."""
        return [cotangents[0][:, 1:]]


class Prepend_scalar_to_each_row(LegacyOp):
    """Prepends a column filled with a symbolic scalar to a matrix."""

    __props__ = ()

    def make_node(self, val: Any, mat: Any) -> Apply:
        """Makes the Apply node for a scalar and a matrix without broadcastable dimensions. Raises TypeError for anything else."""
        val, mat = as_tensor_variable(val), as_tensor_variable(mat)
        if mat.type.ndim != 2 or any(mat.type.broadcastable):
            raise TypeError("Expected a matrix as input")
        if val.ndim != 0:
            raise TypeError("Expected a scalar to prepend, got {}".format(val.type))
        return Apply(self, [val, mat], [TensorType(mat.dtype, shape=(None, None))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Copies the matrix beside the column."""
        output_storage[0][0] = _prepended(*inputs)

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the matrix' shape with one column more."""
        return [(shapes[1][0], shapes[1][1] + 1)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient of the scalar: the sum of the first column of the output's gradient; of the matrix: its other columns."""
        (g,) = cotangents
        return [g[:, 0].sum(), g[:, 1:]]


def _prepended(value: Any, matrix: Any) -> Any:
    result = np.empty((matrix.shape[0], matrix.shape[1] + 1), matrix.dtype)
    result[:, 0] = value
    result[:, 1:] = matrix
    return result


prepend_scalar_to_each_row = Prepend_scalar_to_each_row()
prepend_0_to_each_row = Prepend_scalar_constant_to_each_row(0.0)
prepend_1_to_each_row = Prepend_scalar_constant_to_each_row(1.0)
