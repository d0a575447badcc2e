"""Serves `theano.scalar` from pytensor.scalar, with `int_division`, `transfer_type` and Ops that PyTensor removed."""

from typing import Any

import pytensor
from pytensor.scalar import ScalarType as Scalar
from pytensor.scalar import basic

from ...ops.scalars import Chi2SF, Iv, chi2sf, iv, transfer_type

builtin_bool, builtin_int, builtin_float, builtin_complex = bool, int, float, complex
imported_scipy_special = True


def int_or_true_div(x_discrete: Any, y_discrete: Any) -> Any:
    """Returns the division Op according to the flag int_division. Raises IntegerDivisionError if both inputs are discrete and the flag is
    "raise".
    """
    if not (x_discrete and y_discrete):
        return basic.true_div
    chosen = pytensor.config.int_division
    if chosen == "int":
        return basic.int_div
    if chosen == "floatX":
        return basic.true_div
    raise basic.IntegerDivisionError("With `config.int_division` set to 'raise', dividing two integer types with '/' is forbidden")


def div_proxy(x: Any, y: Any) -> Any:
    """Returns `x / y` of scalars, according to the flag int_division."""
    left, right = basic.as_scalar(x), basic.as_scalar(y)
    return int_or_true_div(left.type in basic.discrete_types, right.type in basic.discrete_types)(left, right)
