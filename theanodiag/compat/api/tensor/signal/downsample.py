"""theano.tensor.signal.downsample: the names under which pooling was known until 0.8."""

import warnings
from typing import Any

from ....ops.pool import AveragePoolGrad, DownsampleFactorMaxGradGrad, MaxPoolGrad, max_pool_2d_same_size, pool_2d
from ....ops.pool import MaxPoolGrad as DownsampleFactorMaxGrad


def max_pool_2d(input: Any, ds: Any, ignore_border: Any = None, st: Any = None, padding: Any = (0, 0), mode: str = "max") -> Any:
    """pool_2d with the arguments that it had."""
    if ignore_border is None:
        message = (
            "max_pool_2d() will have the parameter ignore_border default value changed to True (currently False). To have consistent "
            "behavior with all Theano version, explicitly add the parameter ignore_border=True."
        )
        warnings.warn(message, stacklevel=2)
        ignore_border = False
    return pool_2d(input, ds, ignore_border, st, padding, mode)
