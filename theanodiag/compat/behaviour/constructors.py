"""Ops built as Theano built them: the arguments that their classes and functions took."""

from functools import wraps
from typing import Any, Callable, Optional

import numpy as np
from pytensor.tensor.elemwise import DimShuffle


def _dimshuffle_init(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(
        self: Any, input_broadcastable: Any = None, new_order: Any = None, inplace: bool = True, *, input_ndim: Optional[int] = None
    ) -> None:
        if input_broadcastable is None:
            return original(self, input_ndim=input_ndim, new_order=new_order)
        flags = tuple(bool(flag) for flag in input_broadcastable)
        order = tuple(new_order)
        for i, axis in enumerate(order):
            if axis != "x" and not isinstance(axis, (int, np.integer)):
                raise TypeError("DimShuffle indices must be python ints.")
            if axis != "x" and axis >= len(flags):
                raise ValueError(f"new_order[{i}] is {axis}, but the input only has {len(flags)} axes.")
        for axis, flag in enumerate(flags):
            if axis not in order and not flag:
                raise ValueError("You cannot drop a non-broadcastable dimension.", (input_broadcastable, new_order))
        original(self, input_ndim=len(flags), new_order=order)
        self.input_broadcastable = flags
        return None

    return __init__


def apply(origin: str) -> None:
    """Lets PyTensor's classes take the legacy arguments."""
    DimShuffle.__init__ = _dimshuffle_init(DimShuffle.__init__)
