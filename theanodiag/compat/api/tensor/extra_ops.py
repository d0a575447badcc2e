"""Serves `theano.tensor.extra_ops`: Ops that are functions in PyTensor, and functions with other arguments."""

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor import extra_ops as _extra_ops

from ...ops.extra_ops import DiffOp, RepeatOp, Unique
from ...ops.op import OpInstanceCheck


class CumOp(metaclass=OpInstanceCheck):
    """The Op of `cumsum` (mode "add") and `cumprod` (mode "mul") along `axis`; the input is flattened if `axis` is None."""

    op = _extra_ops.CumOp

    def __init__(self, axis: Any = None, mode: str = "add") -> None:
        if mode not in ("add", "mul"):
            raise ValueError(f'CumOp: Unknown mode "{mode}"')
        self.axis, self.mode = axis, mode

    def __call__(self, x: Any) -> Any:
        return (_extra_ops.cumsum if self.mode == "add" else _extra_ops.cumprod)(x, axis=self.axis)

    def make_node(self, x: Any) -> Any:
        """Returns the node that computes the cumulative sums or products."""
        return self(x).owner


def CumsumOp(axis: Any = None) -> CumOp:
    """Returns the CumOp of sums."""
    return CumOp(axis=axis, mode="add")


def CumprodOp(axis: Any = None) -> CumOp:
    """Returns the CumOp of products."""
    return CumOp(axis=axis, mode="mul")


class UnravelIndex(metaclass=OpInstanceCheck):
    """The Op of `unravel_index` for `ndim` dimensions. `order` is accepted and ignored: indices are in C order, as in Theano 1.0.5."""

    op = _extra_ops.UnravelIndex

    def __init__(self, ndim: int, order: str = "C") -> None:
        assert order in ("C", "F")
        if not isinstance(ndim, (int, np.integer)) or ndim < 1:
            raise ValueError("ndim must be a whole number of 1 or more, not %r" % (ndim,))
        self.ndim, self.order = ndim, order

    def __call__(self, indices: Any, dims: Any) -> Any:
        dims = pt.as_tensor_variable(dims)
        return _extra_ops.unravel_index(indices, pt.stack([dims[i] for i in range(self.ndim)]), order="C")


def unravel_index(indices: Any, dims: Any, order: str = "C", ndim: Any = None) -> Any:
    """Returns one vector of indices for each dimension of the shape `dims`; `ndim` is required if the length of `dims` is unknown."""
    if ndim is not None:
        return UnravelIndex(ndim, order)(indices, dims)
    assert order in ("C", "F")
    return _extra_ops.unravel_index(indices, dims, order="C")


def diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    """Returns the n-th difference of `x` along `axis`."""
    return DiffOp(n=n, axis=axis)(x)


def repeat(x: Any, repeats: Any, axis: Any = None) -> Any:
    """Returns the elements of `x` repeated `repeats` times along `axis`; `x` is flattened if `axis` is None.

    Raises ValueError if `repeats` has more than one dimension.
    """
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
