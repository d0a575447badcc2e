"""Names under which Theano 0.4 to 1.0.5 and Theano-PyMC print their Ops.

Source: `__str__` of the Ops in the folders tensor, gpuarray and sandbox.
"""

from __future__ import annotations

SCALARS = {
    "and": "AND", "or": "OR", "xor": "XOR", "invert": "Invert", "eq": "EQ", "neq": "NEQ", "lt": "LT", "gt": "GT", "le": "LE", "ge": "GE",
    "abs": "Abs", "abs_": "Abs", "add": "Add", "sub": "Sub", "mul": "Mul", "true_div": "TrueDiv", "truediv": "TrueDiv", "int_div": "IntDiv",
    "intdiv": "IntDiv", "mod": "Mod", "pow": "Pow", "clip": "Clip", "second": "Second", "identity": "Identity", "cast": "Cast",
    "switch": "Switch", "maximum": "Maximum", "minimum": "Minimum", "isnan": "IsNan", "isinf": "IsInf", "inrange": "InRange",
    "roundhalfawayfromzero": "RoundHalfAwayFromZero", "roundhalftoeven": "RoundHalfToEven", "neg": "Neg", "inv": "Inv", "sqr": "Sqr",
    "sqrt": "Sqrt", "exp": "Exp", "exp2": "Exp2", "expm1": "Expm1", "log": "Log", "log2": "Log2", "log10": "Log10", "log1p": "Log1p",
    "sgn": "Sgn", "ceil": "Ceil", "floor": "Floor", "trunc": "Trunc", "deg2rad": "Deg2Rad", "rad2deg": "Rad2Deg", "angle": "Angle",
    "cos": "Cos", "cosh": "Cosh", "sin": "Sin", "sinh": "Sinh", "tan": "Tan", "tanh": "Tanh", "arccos": "ArcCos", "arccosh": "ArcCosh",
    "arcsin": "ArcSin", "arcsinh": "ArcSinh", "arctan": "ArcTan", "arctan2": "ArcTan2", "arctanh": "ArcTanh", "real": "Real",
    "imag": "Imag", "conj": "Conj", "complex": "Complex", "complex_from_polar": "ComplexFromPolar", "erf": "Erf", "erfc": "Erfc",
    "erfcinv": "Erfcinv", "erfcx": "Erfcx", "erfinv": "Erfinv", "gamma": "Gamma", "gammaln": "GammaLn", "gammainc": "GammaInc",
    "gammaincc": "GammaIncC", "gammal": "GammaL", "gammau": "GammaU", "psi": "Psi", "tri_gamma": "TriGamma", "chi2sf": "Chi2SF",
    "i0": "I0", "i1": "I1", "iv": "Iv", "j0": "J0", "j1": "J1", "jv": "Jv", "composite": "Composite", "sigmoid": "ScalarSigmoid",
    "sigmoid_inplace": "ScalarSigmoid", "softsign": "ScalarSoftsign", "ultra_fast_sigmoid": "UltraFastScalarSigmoid",
    "ultra_fast_sigmoid_inplace": "UltraFastScalarSigmoid", "xlogx": "XlogX", "xlogy0": "XlogY0",
    "scalar_sigmoid": "ScalarSigmoid", "softplus": "ScalarSoftplus", "scalar_softplus": "ScalarSoftplus",
}  # fmt: skip
"""Name of a scalar Op as printed, in lower case -> class name."""

OPS: dict[str, tuple[str, dict[str, object]]] = {
    "dot": ("Dot", {}),
    "if": ("IfElse", {}),
    "Reduce": ("CAReduce", {}),
    "InplaceDimShuffle": ("DimShuffle", {"inplace": True}),
    "InplaceGpuDimShuffle": ("GpuDimShuffle", {"inplace": True}),
    "Mean": ("Mean", {}),
}
"""Name of an Op as printed, where that is not its class name -> (class name, parameters that the name implies)."""

SCAN_PREFIXES = ("forall_inplace,", "do_whileall_inplace,", "for{", "do_while{")
"""How a printed Scan begins. Source: Theano 1.0.5 scan_module/scan_op.py `Scan.__str__` (the first two have lost a brace)."""
