"""Adapters for activations of `theano.tensor.nnet` (Theano 1.0.5, nnet.py and sigm.py)."""

from ..framework import current

__all__ = ["logsoftmax", "logsoftmax_last", "softmax", "softmax_graph", "softmax_last", "ultra_fast_sigmoid"]


def _rows(x: object) -> object:
    """`x` as a float matrix, a vector as one row, as Theano's softmax takes it; ValueError for other ranks and dtypes."""
    rows = current.tensor.as_tensor_variable(x)
    if rows.ndim not in (1, 2) or "float" not in rows.dtype:
        raise ValueError("x must be 1-d or 2-d tensor of floats. Got {}".format(rows.type))
    return current.tensor.shape_padleft(rows, n_ones=1) if rows.ndim == 1 else rows


def softmax_last(c: object, axis: object = -1) -> object:
    """Softmax along `axis`, by default the last, as in Aesara."""
    return current.module("tensor.special").softmax(current.tensor.as_tensor_variable(c), axis=axis)


def logsoftmax_last(c: object, axis: object = -1) -> object:
    """Logarithm of the softmax along `axis`, by default the last, as in Aesara."""
    return current.module("tensor.special").log_softmax(current.tensor.as_tensor_variable(c), axis=axis)


def softmax(c: object) -> object:
    """Softmax of each row of a matrix; a vector becomes a matrix of one row."""
    return softmax_last(_rows(c))


def softmax_graph(c: object) -> object:
    """`theano.tensor.nnet.softmax_graph`: same values as softmax."""
    return softmax(c)


def logsoftmax(c: object) -> object:
    """Logarithm of the softmax of each row of a matrix; a vector becomes a matrix of one row."""
    return logsoftmax_last(_rows(c))


def ultra_fast_sigmoid(x: object) -> object:
    """Approximation of the sigmoid in three pieces without an exponential (Theano 1.0.5, sigm.py)."""
    t = current.tensor
    half = 0.5 * t.as_tensor_variable(x)
    size = abs(half)
    middle = 0.935409070603099 + 0.0458812946797165 * (size - 1.7)
    value = t.switch(t.lt(size, 1.7), 1.5 * size / (1 + size), t.switch(t.lt(size, 3), middle, 0.99505475368673))
    return t.cast(0.5 * (t.switch(t.ge(half, 0), value, -value) + 1), half.dtype)
