"""conv3D of Theano until 0.9 and its two transposes, whose axes are (batch, row, column, time, channel), as convolutions of today.

Nothing is flipped: output[b, r, c, t, j] = bias[j] + the sum of W[j, k, l, m, z] * V[b, d0 r + k, d1 c + l, d2 t + m, z].
"""

from typing import Any, Sequence, Tuple

import pytensor.tensor as pt
from pytensor.tensor.basic import get_underlying_scalar_constant_value
from pytensor.tensor.exceptions import NotScalarConstantError

from .functions import conv3d, conv3d_grad_wrt_inputs, conv3d_grad_wrt_weights

CHANNELS_FIRST = (0, 4, 1, 2, 3)
CHANNELS_LAST = (0, 2, 3, 4, 1)


def _strides(d: Any) -> Tuple[int, ...]:
    """The strides as numbers; a convolution of today takes no others."""
    try:
        if isinstance(d, (tuple, list)):
            return tuple(int(get_underlying_scalar_constant_value(n)) for n in d)
        constant = pt.as_tensor_variable(d)
        return tuple(int(n) for n in constant.data)
    except (NotScalarConstantError, AttributeError):
        raise NotImplementedError("conv3D takes strides that are known when the graph is built, such as (1, 1, 1)") from None


def _first(x: Any) -> Any:
    return pt.as_tensor_variable(x).dimshuffle(*CHANNELS_FIRST)


def conv3D(V: Any, W: Any, b: Any, d: Any) -> Any:
    """The volumes `V` correlated with the filters `W`, strides `d`, plus the bias `b` of each filter."""
    out = conv3d(_first(V), _first(W), border_mode="valid", subsample=_strides(d), filter_flip=False)
    return out.dimshuffle(*CHANNELS_LAST) + pt.as_tensor_variable(b)


def _shape(lengths: Sequence[Any]) -> Tuple[Any, ...]:
    """A shape with its last axis behind its first."""
    return tuple(lengths[axis] for axis in CHANNELS_FIRST)


def convGrad3D(V: Any, d: Any, WShape: Any, dCdH: Any) -> Any:
    """The gradient of the filters of conv3D."""
    shape = _shape([pt.as_tensor_variable(WShape)[axis] for axis in range(5)])
    known = (None, None, *shape[2:])
    out = conv3d_grad_wrt_weights(_first(V), _first(dCdH), known, border_mode="valid", subsample=_strides(d), filter_flip=False)
    return out.dimshuffle(*CHANNELS_LAST)


def convTransp3D(W: Any, b: Any, d: Any, H: Any, RShape: Any = None) -> Any:
    """The gradient of the volumes of conv3D, plus the bias `b`; `RShape` (rows, columns, times): by default the smallest."""
    filters, given, strides = pt.as_tensor_variable(W), pt.as_tensor_variable(H), _strides(d)
    smallest = [(given.shape[axis + 1] - 1) * strides[axis] + filters.shape[axis + 1] for axis in range(3)]
    lengths = smallest if RShape is None else [pt.maximum(pt.as_tensor_variable(RShape)[axis], smallest[axis]) for axis in range(3)]
    known = (None, None, *lengths)
    out = conv3d_grad_wrt_inputs(_first(given), _first(filters), known, border_mode="valid", subsample=strides, filter_flip=False)
    return out.dimshuffle(*CHANNELS_LAST) + pt.as_tensor_variable(b)
