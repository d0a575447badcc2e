"""`h_softmax` and `confusion_matrix` of `theano.tensor.nnet.nnet`."""

from typing import Any

from pytensor.tensor.basic import arange, as_tensor_variable, concatenate, zeros
from pytensor.tensor.extra_ops import Unique
from pytensor.tensor.math import dot, eq, tensordot

from .blocksparse import sparse_block_dot
from .softmax import softmax


def h_softmax(
    x: Any,
    batch_size: Any,
    n_outputs: Any,
    n_classes: Any,
    n_outputs_per_class: Any,
    W1: Any,
    b1: Any,
    W2: Any,
    b2: Any,
    target: Any = None,
) -> Any:
    """Two-level softmax: probability of a class times that of an output within its class.

    Without `target` the result is (batch_size, n_outputs); with it, the probability of each row's target output, (batch_size,). Shapes: x
    (batch_size, features), W1 (features, n_classes), W2 (n_classes, features, n_outputs_per_class).
    """
    of_classes = softmax(dot(x, W1) + b1)
    if target is None:
        scores = tensordot(x, W2, (1, 1)) + b2
        within = softmax(scores.reshape((-1, n_outputs_per_class))).reshape((batch_size, n_classes, -1))
        return (of_classes.dimshuffle(0, 1, "x") * within).reshape((batch_size, -1))[:, :n_outputs]
    target = target.flatten()
    classes, places = target // n_outputs_per_class, target % n_outputs_per_class
    scores = sparse_block_dot(
        W2.dimshuffle("x", 0, 1, 2),
        x.dimshuffle(0, "x", 1),
        zeros((batch_size, 1), dtype="int32"),
        b2,
        classes.dimshuffle(0, "x"),
    )
    within = softmax(scores.dimshuffle(0, 2))
    rows = arange(batch_size)
    return of_classes[rows, classes] * within[rows, places]


def confusion_matrix(actual: Any, pred: Any) -> list[Any]:
    """[counts, classes]: counts[i, j] is how often the actual class is classes[i] and the predicted one classes[j].

    `actual` and `pred` are vectors; ValueError otherwise. The classes are all values in either, sorted.
    """
    actual, pred = as_tensor_variable(actual), as_tensor_variable(pred)
    if actual.ndim != 1:
        raise ValueError("actual must be 1-d tensor variable")
    if pred.ndim != 1:
        raise ValueError("pred must be 1-d tensor variable")
    order = Unique(False, False, False)(concatenate([actual, pred]))
    rows, columns = (eq(v.dimshuffle(0, "x"), order).astype("int64") for v in (actual, pred))
    return [dot(rows.T, columns), order]
