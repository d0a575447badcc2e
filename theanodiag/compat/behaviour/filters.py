"""Conversion of input values: numpy 2's OverflowError becomes a TypeError, or the value wraps around if a downcast is allowed."""

from typing import Any

import numpy
from pytensor.tensor.type import TensorType


def apply(origin: str) -> None:
    """Replaces TensorType.filter, and adds `filter_checks_isfinite` and `value_zeros`."""
    plain = TensorType.filter

    def filter(self: Any, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
        try:
            value = plain(self, data, strict, allow_downcast)
            if self.filter_checks_isfinite and not numpy.all(numpy.isfinite(value)):
                raise ValueError("non-finite elements not allowed")
            return value
        except OverflowError:
            if allow_downcast:
                return plain(self, numpy.asarray(data).astype(self.dtype), strict, allow_downcast)
            raise TypeError("Type {} cannot hold {!r}; wrap it with allow_downcast=True".format(self, data)) from None

    TensorType.filter = filter
    TensorType.filter_checks_isfinite = False
    TensorType.value_zeros = lambda self, shape: numpy.zeros(shape, dtype=self.dtype)
