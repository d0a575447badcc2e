"""theano.tensor.extra_ops: Ops that are functions today, and other arguments."""

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor.extra_ops import CumOp
from pytensor.tensor.subtensor import inc_subtensor, set_subtensor

from ...ops.extra import DiffOp, RepeatOp


def CumsumOp(axis: Any = None) -> CumOp:
    """The Op of `cumsum`."""
    return CumOp(axis=axis, mode="add")


def CumprodOp(axis: Any = None) -> CumOp:
    """The Op of `cumprod`."""
    return CumOp(axis=axis, mode="mul")


def diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    """The n-th difference along an axis."""
    return DiffOp(n=n, axis=axis)(x)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Each element repeated, along an axis or of the flattened input."""
    repeats = pt.as_tensor_variable(repeats)
    if repeats.ndim > 1:
        raise ValueError("The dimension of repeats should not exceed 1.")
    if repeats.ndim == 1 and not repeats.broadcastable[0]:
        return RepeatOp(axis=axis)(x, repeats)
    if repeats.ndim == 1:
        repeats = repeats[0]
    x = pt.as_tensor_variable(x)
    if axis is None:
        x, axis = pt.flatten(x), 0
    axis = axis + x.ndim if axis < 0 else axis
    lengths = [x.shape[i] for i in range(x.ndim)]
    spread = pt.alloc(x.dimshuffle(*range(axis + 1), "x", *range(axis + 1, x.ndim)), *lengths[: axis + 1], repeats, *lengths[axis + 1 :])
    lengths[axis] = lengths[axis] * repeats
    return spread.reshape(lengths, ndim=x.ndim)
