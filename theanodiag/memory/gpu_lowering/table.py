"""What the GPU optimiser does with each op, as far as memory depends on it.

Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`, `op_lifter` and the lifters below them), gpuarray/type.py (`move_to_gpu`).
"""

from __future__ import annotations

from ...ir import Op, Type, TypeKind

FLOATS = frozenset({"float16", "float32", "float64"})
INTEGERS = frozenset({"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"})

STAYS = frozenset({
    "Shape", "Shape_i", "MakeVector", "ScalarFromTensor", "TensorFromScalar", "ARange", "Nonzero", "Unique", "SortOp", "ArgSortOp",
    "RandomFunction", "RandomVariable", "UniformRV", "NormalRV", "BinomialRV", "BernoulliRV", "SearchsortedOp", "Bartlett",
    "FillDiagonal", "FillDiagonalOffset", "Eig", "Eigh", "Solve", "SolveTriangular", "Det",
})  # fmt: skip
"""Ops for which the back-end has no counterpart, or whose result is needed on the host."""

MADE_FOR_CLIENTS = frozenset({"Alloc", "AllocEmpty", "Eye", "Tri"})
"""Ops without an input on the device that move if any reader of theirs does."""

BLAS_WITH_SCALARS = frozenset({"Gemm", "Dot22Scalar", "BatchedGemm", "Gemv", "CGemv", "Ger", "CGer", "ScipyGer"})
"""Ops whose scale factors (inputs without a dimension) the back-end takes from the host. Source: gpuarray/blas.py, GpuGemm.make_node."""

HOST_FROM = {
    "Alloc": 1, "AllocEmpty": 0, "Eye": 0, "Tri": 0, "Reshape": 1, "Subtensor": 1, "IncSubtensor": 2, "AdvancedSubtensor": 1,
    "AdvancedIncSubtensor": 2, "Split": 1, "Pool": 1, "MaxPoolGrad": 3, "AveragePoolGrad": 2, "DownsampleFactorMaxGradGrad": 3,
    "mrg_uniform": 1, "Images2Neibs": 1, "TopKOp": 1, "SpecifyShape": 1, "Assert": 1, "CheckAndRaise": 1, "CorrMM_gradWeights": 2,
    "CorrMM_gradInputs": 2, "Corr3dMM_gradWeights": 2, "Corr3dMM_gradInputs": 2, "AbstractConv2d_gradWeights": 2,
    "AbstractConv2d_gradInputs": 2, "AbstractConv3d_gradWeights": 2, "AbstractConv3d_gradInputs": 2,
}  # fmt: skip
"""Ops of which the inputs from this position on say how much or where, and stay on the host."""

HOST_FIRST = frozenset({"Join", "IfElse", "Scan"})
"""Ops whose first input (axis, condition, number of steps) stays on the host."""

CONVOLUTIONS = {
    **{name: name for name in ("CorrMM", "CorrMM_gradWeights", "CorrMM_gradInputs")},
    **{name: name for name in ("Corr3dMM", "Corr3dMM_gradWeights", "Corr3dMM_gradInputs")},
    "ConvOp": "CorrMM",
    "AbstractConv2d": "CorrMM",
    "AbstractConv2d_gradWeights": "CorrMM_gradWeights",
    "AbstractConv2d_gradInputs": "CorrMM_gradInputs",
    "AbstractConv3d": "Corr3dMM",
    "AbstractConv3d_gradWeights": "Corr3dMM_gradWeights",
    "AbstractConv3d_gradInputs": "Corr3dMM_gradInputs",
    "Conv2d": "CorrMM",
}
"""Convolutions of the host -> the same by im2col."""

CONTIGUOUS = {**dict.fromkeys(CONVOLUTIONS, 2), "Pool": 1, "MaxPoolGrad": 3, "AveragePoolGrad": 2, "CumOp": 1}
"""Ops of which so many first inputs are made contiguous before (GpuContiguous)."""

INDEX_AT = {"AdvancedSubtensor1": 1, "AdvancedIncSubtensor1": 2}
"""Ops whose row numbers, at this position, are cast to int64. Source: gpuarray/subtensor.py, `GpuAdvancedSubtensor1.make_node`."""

RENAMED = {
    **{name: f"Gpu{other}" for name, other in CONVOLUTIONS.items()},
    **{name: "LiftedCorrMM" for name, other in CONVOLUTIONS.items() if other == "CorrMM"},
    **{name: f"Gpu{name}" for name in ("Dot22", "Dot22Scalar", "Gemm", "Gemv", "Ger", "Elemwise", "DimShuffle", "Reshape", "Alloc")},
    **{name: f"Gpu{name}" for name in ("AllocEmpty", "Subtensor", "IncSubtensor", "AdvancedSubtensor", "AdvancedSubtensor1", "CumOp")},
    **{name: f"Gpu{name}" for name in ("AdvancedIncSubtensor", "AdvancedIncSubtensor1", "AdvancedBooleanSubtensor", "Join", "Split")},
    **{name: f"Gpu{name}" for name in ("AdvancedBooleanIncSubtensor", "ExtractDiag", "AllocDiag", "Eye", "Tri", "BatchedDot")},
    **dict.fromkeys(("CGemv", "ScipyGemv"), "GpuGemv"),
    **dict.fromkeys(("CGer", "ScipyGer"), "GpuGer"),
    **dict.fromkeys(("Sum", "Prod", "CAReduce", "CAReduceDtype", "Max", "Min", "NonZeroCAReduce"), "GpuCAReduceCuda"),
    "CumsumOp": "GpuCumOp",
    "CumprodOp": "GpuCumOp",
    "mrg_uniform": "GPUA_mrg_uniform",
    "ChoiceFromUniform": "GPUAChoiceFromUniform",
}
"""Ops of the host -> their counterparts, where those follow rules of their own; the others are what their view_map and destroy_map say."""


def lives_there(kind: Type) -> bool:
    """Whether a value of this type can live on the device."""
    return kind.kind is TypeKind.TENSOR and kind.dtype in FLOATS | INTEGERS


def stays_on_host(op: Op, position: int, kind: Type) -> bool:
    """Whether this input of a node that moves is read on the host."""
    if not lives_there(kind):
        return True
    if op.name in BLAS_WITH_SCALARS and kind.ndim == 0:
        return True
    if op.name in HOST_FIRST and position == 0:
        return True
    return position >= HOST_FROM.get(op.name, position + 1)
