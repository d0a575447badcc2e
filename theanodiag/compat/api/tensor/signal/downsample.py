"""Serves `theano.tensor.signal.downsample`: pooling under the names used until Theano 0.8."""

import warnings
from typing import Any

from ....ops.pool import AveragePoolGrad, DownsampleFactorMaxGradGrad, MaxPoolGrad, Pool, max_pool_2d_same_size, pool_2d
from ....ops.pool import MaxPoolGrad as DownsampleFactorMaxGrad


class DownsampleFactorMax:
    """The former pooling Op: window, stride and padding are constructor arguments, while Pool takes them as inputs."""

    def __init__(self, ds: Any, ignore_border: bool = False, st: Any = None, padding: Any = (0, 0), mode: str = "max") -> None:
        self.ds, self.ignore_border, self.st, self.padding, self.mode = tuple(ds), ignore_border, st, padding, mode

    def __call__(self, x: Any) -> Any:
        return pool_2d(x, self.ds, self.ignore_border, self.st, self.padding, self.mode)

    @staticmethod
    def out_shape(imgshape: Any, ds: Any, ignore_border: bool = False, st: Any = None, padding: Any = (0, 0)) -> Any:
        """Returns the shape of the pooled array for images of shape `imgshape`."""
        return Pool.out_shape(imgshape, ds, ignore_border, st, padding, 2)


def max_pool_2d(input: Any, ds: Any, ignore_border: Any = None, st: Any = None, padding: Any = (0, 0), mode: str = "max") -> Any:
    """Returns `pool_2d` with its older argument names; warns if `ignore_border` is not given."""
    if ignore_border is None:
        message = (
            "max_pool_2d() will have the parameter ignore_border default value changed to True (currently False). To have consistent "
            "behavior with all Theano version, explicitly add the parameter ignore_border=True."
        )
        warnings.warn(message, stacklevel=2)
        ignore_border = False
    return pool_2d(input, ds, ignore_border, st, padding, mode)


max_pool2D = max_pool_2d
