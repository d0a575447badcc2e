"""Serves `theano.tensor.xlogx`: x log x and x log y as elementwise Ops."""

from pytensor.tensor.elemwise import Elemwise

from ...ops.scalars import XlogX, XlogY0, scalar_xlogx, scalar_xlogy0

xlogx = Elemwise(scalar_xlogx, name="xlogx")
xlogy0 = Elemwise(scalar_xlogy0, name="xlogy0")

__all__ = ["Elemwise", "XlogX", "XlogY0", "scalar_xlogx", "scalar_xlogy0", "xlogx", "xlogy0"]
