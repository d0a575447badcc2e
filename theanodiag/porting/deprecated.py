"""Names that PyTensor 3 keeps from PyTensor 2 but deprecates, and parameters that its functions renamed.

Sources: the warnings in PyTensor 3.3.8, and the signatures of 2.18.6, 2.26.4, 2.38.2 and 3.3.8, compared.
"""

from __future__ import annotations

from collections.abc import Mapping

_SPARSE = {
    **{f"Add{kind}": f"Add{long}" for kind, long in (("SS", "SparseSparse"), ("SD", "SparseDense"), ("SSData", "SparseSparseData"))},
    **{
        f"{name}{kind}": f"{name}{long}"
        for name in ("Equal", "NotEqual", "LessThan", "GreaterThan", "LessEqual", "GreaterEqual")
        for kind, long in (("SS", "SparseSparse"), ("SD", "SparseDense"))
    },
    "SparseSparseMultiply": "MultiplySparseSparse",
    "SparseDenseMultiply": "MultiplySparseDense",
    "SparseDenseVectorMultiply": "MultiplySparseDenseVector",
    "StructuredAddSV": "StructuredAddSparseDenseVector",
    "MulSS": "MultiplySparseSparse",
    "MulSD": "MultiplySparseDense",
    "MulSV": "MultiplySparseDenseVector",
}
"""Old names of sparse Ops, and those of 3.3."""

RENAMED: Mapping[str, str] = {
    "gradient.Rop": "pushforward",
    "gradient.Lop": "pullback",
    "compile.ops.as_op": "wrap_py",
    "tensor.linalg.summary.trace": "tensor.trace",
    "tensor.nlinalg.trace": "tensor.trace",
    "tensor.basic.extract_diag": "tensor.diagonal",
    "tensor.math.sgn": "tensor.sign",
    "tensor.xlogx.xlogy0": "tensor.special.xlogy",
    "tensor.subtensor.advanced_subtensor1": "tensor.subtensor.advanced_subtensor",
    "tensor.subtensor.advanced_inc_subtensor1": "tensor.subtensor.advanced_inc_subtensor",
    "tensor.subtensor.advanced_set_subtensor1": "tensor.subtensor.advanced_set_subtensor",
    "tensor.sharedvar.ScalarSharedVariable": "tensor.sharedvar.TensorSharedVariable",
    "scalar.get_underlying_scalar_constant": "tensor.get_underlying_scalar_constant_value",
    "get_underlying_scalar_constant": "tensor.get_underlying_scalar_constant_value",
    "graph.basic.io_connection_pattern": "graph.op.io_connection_pattern",
    "sparse.math.sub": "sparse.subtract",
    "sparse.math.mul": "sparse.multiply",
    **{f"sparse.{module}{old}": f"sparse.math.{new}" for module in ("", "basic.", "math.") for old, new in _SPARSE.items()},
}
"""Deprecated name -> its replacement, with the same arguments unless `calls.py` or ARGUMENTS says otherwise."""

_SPACED = {"end": "stop", "steps": "num"}
ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "compile.sharedvalue.shared": {"broadcastable": "shape"},
    "tensor.type.TensorType": {"broadcastable": "shape"},
    "tensor.type.tensor": {"broadcastable": "shape"},
    "tensor.extra_ops.linspace": _SPACED,
    "tensor.extra_ops.logspace": _SPACED,
    "tensor.extra_ops.geomspace": _SPACED,
    "tensor.extra_ops.repeat": {"x": "a"},
    "tensor.basic.tile": {"x": "A"},
    "tensor.basic.get_underlying_scalar_constant_value": {"orig_v": "v"},
    "tensor.linalg.decomposition.qr.qr": {"a": "A"},
    "compile.builders.OpFromGraph": {"lop_overrides": "pullback", "rop_overrides": "pushforward"},
}
"""Function of PyTensor 3.3 -> keyword arguments of PyTensor 2 that have another name."""

_WRITTEN = "RandomStream UPLO rate gamma infer_shape L_op grad config change_flags scan PYTENSOR_FLAGS"
WORDS = frozenset((*(name.rpartition(".")[2] for name in RENAMED), *(a for held in ARGUMENTS.values() for a in held), *_WRITTEN.split()))
"""A PyTensor source without any of these words uses no deprecated names, and nothing that `releases.py` rewrites."""
