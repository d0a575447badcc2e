"""Elementwise operations as in pygpu/elemwise.py and _elemwise.pyx 0.7.6, computed on the host: those that Theano uses during
optimization."""

import operator

import numpy

from .gpuarray import GpuArray, array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live

OPERATORS = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv, "%": operator.mod,
    "**": operator.pow, "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""Operator in an expression -> its function in Python."""


def compare(a: "Live", op: str, b: "Live", broadcast: bool = False, convert_f16: bool = True) -> GpuArray:
    """`a op b` as an array of bool."""
    return elemwise2(a, op, b, a, odtype="bool")


def elemwise2(a: "Live", op: str, b: "Live", ary: GpuArray, odtype: "Live" = None, **more: "Live") -> GpuArray:
    """`a op b` for an operator in `OPERATORS`. Raises NotImplementedError for other expressions."""
    if op not in OPERATORS:
        raise NotImplementedError("the expression %r is not computed without a device" % (op,))
    values = OPERATORS[op](numpy.asarray(a), numpy.asarray(b))
    return array(values, odtype, context=ary.context)


def ielemwise2(a: GpuArray, op: str, b: "Live", **more: "Live") -> GpuArray:
    """`a op= b`, in place."""
    a[...] = numpy.asarray(elemwise2(a, op, b, a)).astype(a.dtype)
    return a


class arg(object):  # noqa: N801  # pygpu's own name
    """An argument of an elementwise kernel: name, dtype, and whether it is read, written or a scalar."""

    def __init__(self, name: str, type: "Live", read: bool = False, write: bool = False, scalar: bool = False) -> None:
        self.name, self.type, self.read, self.write, self.scalar = name, type, read, write, scalar


def as_argument(obj: "Live", name: str, read: bool = False, write: bool = False) -> arg:
    """Describes an array or a number as a kernel argument."""
    return arg(name, getattr(obj, "dtype", None) or numpy.asarray(obj).dtype, read, write, not isinstance(obj, GpuArray))


class GpuElemwise(object):
    """A compiled expression. Only `a = a + b` is implemented: Theano calls it from Python (theano/gpuarray/subtensor.py: iadd)."""

    def __init__(self, context: "Live", expr: str, args: "list[arg]", **options: object) -> None:
        self.expr = expr

    def __call__(self, a: GpuArray, b: "Live", **options: object) -> None:
        """Adds `b` to `a` in place. Raises NotImplementedError for any other expression."""
        if self.expr != "a = a + b":
            raise NotImplementedError("the expression %r is not computed without a device" % (self.expr,))
        ielemwise2(a, "+", b)
