"""Prints Ops under Theano's names, which scripts and log readers match: `Elemwise{add,no_inplace}`."""

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.math import All, Dot, Max, Min, Prod, ProdWithoutZeros, Sum
from pytensor.tensor.math import Any as AnyOp

LEGACY_SCALARS = {"abs": "abs_", "Abs": "abs_", "reciprocal": "inv", "sign": "sgn"}
"""Name of a scalar Op in PyTensor -> its name in Theano, where they differ."""


def _scalar_name(op: Any) -> str:
    name = str(op)
    return LEGACY_SCALARS.get(name, name)


def _elemwise(self: Any) -> str:
    if self.name:
        return str(self.name)
    written = "Elemwise{" + _scalar_name(self.scalar_op) + "}"
    return written + str(sorted(self.inplace_pattern.items())) if self.inplace_pattern else written


def _dimshuffle(self: Any) -> str:
    return "InplaceDimShuffle{" + ",".join(str(axis) for axis in self.new_order) + "}"


def _axes(self: Any) -> str:
    return ", ".join(str(axis) for axis in self.axis)


def _reduce(self: Any) -> str:
    return "Reduce{" + str(self.scalar_op) + "}" + ("" if self.axis is None else "{" + _axes(self) + "}")


def _all_or_any(self: Any) -> str:
    return type(self).__name__ + ("" if self.axis is None else "{" + _axes(self) + "}")


def _sum_or_prod(self: Any) -> str:
    return type(self).__name__ + "{" + ("" if self.axis is None else f"axis=[{_axes(self)}], ") + f"acc_dtype={self.acc_dtype}" + "}"


def apply(origin: str) -> None:
    """Names the Elemwise Ops of pytensor.tensor, and replaces `__str__` of Elemwise, DimShuffle and the reductions."""
    for module in (pt.basic, pt.math):
        for name, op in vars(module).items():
            if isinstance(op, Elemwise) and not op.name and not name.startswith("_convert_to"):  # a cast is Elemwise{Cast{float64}}
                op.name = "Elemwise{" + LEGACY_SCALARS.get(name, name) + ",no_inplace}"
    Elemwise.__str__ = _elemwise
    DimShuffle.__str__ = _dimshuffle
    CAReduce.__str__ = _reduce
    Dot.__str__ = lambda self: "dot"
    for kind in (All, AnyOp):
        kind.__str__ = _all_or_any
    for kind in (Sum, Prod, ProdWithoutZeros):
        kind.__str__ = _sum_or_prod
    for kind in (Max, Min):
        kind.__str__ = _reduce
