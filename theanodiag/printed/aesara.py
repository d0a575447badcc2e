"""Names under which Aesara prints its Ops, where they differ from Theano's. Source: Aesara 2.0.0 to 2.9.4, `__str__` of the Ops."""

from __future__ import annotations

SCALARS = {
    "true_divide": "TrueDivide", "floor_divide": "FloorDivide", "square": "Sqr", "reciprocal": "Reciprocal", "sigmoid": "Sigmoid",
    "scalar_softplus": "Softplus", "scalar_log1mexp": "Log1mexp", "log1mexp": "Log1mexp", "mean": "Mean", "betainc": "BetaInc",
    "betainc_der": "BetaIncDer", "gammainc_der": "GammaIncDer", "gammaincc_der": "GammaIncCDer", "hyp2f1": "Hyp2F1",
    "scalar_maximum": "ScalarMaximum", "scalar_minimum": "ScalarMinimum",
    "hyp2f1_der": "Hyp2F1Der", "owens_t": "Owens_t", "softplus": "Softplus",
}  # fmt: skip
"""Name of a scalar Op as printed, in lower case -> class name."""

OPS: dict[str, tuple[str, dict[str, object]]] = {}
"""Name of an Op as printed, where that is not its class name -> (class name, parameters that the name implies)."""
