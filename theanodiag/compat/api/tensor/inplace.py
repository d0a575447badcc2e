"""Serves `theano.tensor.inplace`: elementwise Ops that write their result into their first input."""

from typing import Any

import pytensor.scalar as ps
from pytensor.printing import FunctionPrinter, pprint
from pytensor.tensor.elemwise import DimShuffle, Elemwise

from ...ops.scalars import chi2sf, deg2rad, iv, rad2deg, transfer_type

_OURS = {"chi2sf": chi2sf, "deg2rad": deg2rad, "iv": iv, "rad2deg": rad2deg}
_LEGACY = {"abs_": "abs", "inv": "reciprocal", "sgn": "sign", "conj": "conj", "true_divide": "true_div", "floor_divide": "int_div"}
_SCALARS = """lt gt le ge eq neq and_ or_ xor invert abs_ exp exp2 expm1 neg inv log log1p log2 log10 sgn ceil floor trunc
    round_half_to_even round_half_away_from_zero sqr sqrt deg2rad rad2deg cos arccos sin arcsin tan arctan arctan2 cosh arccosh sinh
    arcsinh tanh arctanh erf erfc erfcx gamma gammaln psi tri_gamma chi2sf j0 j1 jv i0 i1 iv second maximum minimum add sub mul true_div
    int_div mod pow conj abs reciprocal true_divide floor_divide sigmoid softplus gammainc gammaincc gammal gammau betainc hyp2f1 log1mexp
    owens_t""".split()


def _inplace(name: str) -> Elemwise:
    scalar: Any = _OURS.get(name) or getattr(ps, _LEGACY.get(name, name))
    full = name + "_inplace"
    op = Elemwise(type(scalar)(transfer_type(0), name=full), {0: 0}, name=full)
    pprint.assign(op, FunctionPrinter([name + "="]))
    return op


def _all() -> "dict[str, Elemwise]":
    there = [name for name in _SCALARS if name in _OURS or hasattr(ps, _LEGACY.get(name, name))]  # 3.3 has no gammal
    return {name + "_inplace": _inplace(name) for name in there}


globals().update(_all())
fill_inplace = globals()["second_inplace"]
pprint.assign(fill_inplace, FunctionPrinter(["fill="]))


def transpose_inplace(x: object, **kwargs: object) -> object:
    """Returns the transpose of `x`, as a view."""
    dims = list(range(x.ndim - 1, -1, -1))  # type: ignore[attr-defined]
    return DimShuffle(input_ndim=x.ndim, new_order=dims)(x)  # type: ignore[attr-defined]
