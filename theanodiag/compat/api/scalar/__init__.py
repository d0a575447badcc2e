"""Serves `theano.scalar` from pytensor.scalar, with `int_division`, `transfer_type` and Ops that PyTensor removed."""

from typing import Any

import pytensor
from pytensor.scalar import ScalarType as Scalar
from pytensor.scalar import basic, upcast_out

from ...ops.scalars import Chi2SF, Iv, chi2sf, iv

builtin_bool, builtin_int, builtin_float, builtin_complex = bool, int, float, complex
imported_scipy_special = True


def int_or_true_div(x_discrete: Any, y_discrete: Any) -> Any:
    """The division Op according to the flag int_division. Raises IntegerDivisionError if both inputs are discrete and
    the flag is "raise"."""
    if not (x_discrete and y_discrete):
        return basic.true_div
    chosen = pytensor.config.int_division
    if chosen == "int":
        return basic.int_div
    if chosen == "floatX":
        return basic.true_div
    raise basic.IntegerDivisionError("With `config.int_division` set to 'raise', dividing two integer types with '/' is forbidden")


def div_proxy(x: Any, y: Any) -> Any:
    """`x / y` of scalars, according to the flag int_division."""
    left, right = basic.as_scalar(x), basic.as_scalar(y)
    return int_or_true_div(left.type in basic.discrete_types, right.type in basic.discrete_types)(left, right)


class transfer_type:
    """Output types of a scalar Op, with one entry for each output: the number of the input with that type, a dtype, or None for the upcast
    of all inputs."""

    def __init__(self, *transfer: Any) -> None:
        assert all(type(x) in (int, str) or x is None for x in transfer)
        self.transfer = transfer

    def __str__(self) -> str:
        return "transfer_type{%s}" % (self.transfer,)

    def __call__(self, *types: Any) -> Any:
        upcast = upcast_out(*types)
        chosen = []
        for i in self.transfer:
            chosen += [upcast] if i is None else [types[i]] if isinstance(i, int) else [getattr(basic, i)]
        return [t[0] if isinstance(t, (list, tuple)) else t for t in chosen]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.transfer == other.transfer  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(self.transfer)
