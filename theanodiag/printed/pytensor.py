"""Names under which PyTensor 2 and 3 print their Ops, where they differ from Aesara's. Source: PyTensor 2.8.11 to 3.3.7, `__str__`.

An Elemwise is printed as its scalar Op with a capital letter (`Add`, `True_div`, `Isnan`), and nothing shows that it works in place.
"""

from __future__ import annotations

from collections.abc import Mapping

SCALARS = {
    "true_div": "TrueDiv", "int_div": "IntDiv", "sqr": "Sqr", "sign": "Sign", "maximum": "Maximum", "minimum": "Minimum",
    "scalarmaximum": "ScalarMaximum", "scalarminimum": "ScalarMinimum",
    "betaincinv": "BetaIncInv", "gammainccinv": "GammaIncCInv", "gammaincinv": "GammaIncInv", "ive": "Ive", "kve": "Kve",
    "ndtri_exp": "NdtriExp", "polygamma": "PolyGamma", "and_": "AND", "or_": "OR", "invert_": "Invert", "round": "RoundHalfToEven",
}  # fmt: skip
"""Name of a scalar Op as printed, in lower case -> class name."""

OPS: dict[str, tuple[str, dict[str, object]]] = {
    "ExpandDims": ("DimShuffle", {"inplace": True}),
    "Squeeze": ("DimShuffle", {"inplace": True}),
    "DropDims": ("DimShuffle", {"inplace": True}),
    "Transpose": ("DimShuffle", {"inplace": True}),
    "MatrixTranspose": ("DimShuffle", {"inplace": True, "is_matrix_transpose": True}),
    "SetSubtensor": ("IncSubtensor", {"set_instead_of_inc": True}),
    "AdvancedSetSubtensor": ("AdvancedIncSubtensor", {"set_instead_of_inc": True}),
    "AdvancedSetSubtensor1": ("AdvancedIncSubtensor1", {"set_instead_of_inc": True}),
    "Cumsum": ("CumOp", {"mode": "add"}),
    "Cumprod": ("CumOp", {"mode": "mul"}),
}
"""Name of an Op as printed, where that is not its class name -> (class name, parameters that the name implies)."""

ELEMWISE = frozenset({"Composite", "Cast", "Switch", "Clip"})
"""Elemwise Ops that are printed with braces, or with a name that other Ops have too."""


def moved(text: str, params: Mapping[str, object], ndim: int) -> list[object] | None:
    """The `new_order` of a DimShuffle printed under a descriptive name, for an input of `ndim` dimensions; None for other names.

    Source: PyTensor 3.0.7 tensor/elemwise.py `DimShuffle.__str__`.
    """
    name, axis = text.partition("{")[0], params.get("axis")
    axes = [axis] if isinstance(axis, int) else [a for a in axis if isinstance(a, int)] if isinstance(axis, list) else []
    if name == "MatrixTranspose" and ndim >= 2:
        return [*range(ndim - 2), ndim - 1, ndim - 2]
    if name == "Transpose" and sorted(axes) == list(range(ndim)):
        return list(axes)
    if name in ("Squeeze", "DropDims"):
        return [d for d in range(ndim) if d not in {a % ndim for a in axes}] if ndim else []
    if name == "ExpandDims":
        new, old = {a % (ndim + len(axes)) for a in axes}, iter(range(ndim))
        return ["x" if d in new else next(old, "x") for d in range(ndim + len(axes))]
    return None
