"""What PyTensor 2 and 3 call their Ops in print, where Aesara does otherwise. Source: PyTensor 2.8.11 to 3.3.7, `__str__` of the Ops.

An Elemwise is printed as its scalar Op with a capital (`Add`, `True_div`, `Isnan`), and nothing tells that it works in place.
"""

from __future__ import annotations

SCALARS = {
    "true_div": "TrueDiv", "int_div": "IntDiv", "sqr": "Sqr", "sign": "Sign", "maximum": "Maximum", "minimum": "Minimum",
    "scalarmaximum": "ScalarMaximum", "scalarminimum": "ScalarMinimum",
    "betaincinv": "BetaIncInv", "gammainccinv": "GammaIncCInv", "gammaincinv": "GammaIncInv", "ive": "Ive", "kve": "Kve",
    "ndtri_exp": "NdtriExp", "polygamma": "PolyGamma", "and_": "AND", "or_": "OR", "invert_": "Invert", "round": "RoundHalfToEven",
}  # fmt: skip
"""Scalar Op as printed, in lower case -> its class."""

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
"""Op as printed, where that is not its class -> (class, parameters that the name says)."""

ELEMWISE = frozenset({"Composite", "Cast", "Switch", "Clip"})
"""Elemwise that are printed with braces, or with a name that other Ops have too."""
