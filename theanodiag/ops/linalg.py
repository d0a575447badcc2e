"""Decompositions and solvers.

Sources: Theano 1.0.5 tensor/slinalg.py, nlinalg.py; PyTensor 3.0.7 and 3.3.7 tensor/linalg (what is overwritten).
"""

from __future__ import annotations

from ..ir import Unknown, numel
from .dtypes import INDEX, Dtypes, TypeQuery, all_inputs, always, as_float, first_and, widest
from .scratch import ScratchQuery, ScratchRule
from .spec import GpuLowering, OpSpec, alike
from .work import with_workspace


def _decomposition_dtype(asked: TypeQuery) -> Dtypes:
    """Parts of a matrix, or what solves it."""
    found = widest(asked.inputs)
    return [found and as_float(found)]


def _factored(matrices: int, others: int) -> ScratchRule:
    """The rule of a decomposition: so many copies of its matrix, the first input, and of its other inputs."""
    return lambda asked: matrices * asked.inputs[0] + others * sum(asked.inputs[1:])


def _qr_scratch(asked: ScratchQuery) -> int:
    """QR: both factors, whether they are asked for or not, and a copy of the matrix."""
    return asked.inputs[0] + sum(asked.outputs)


def _svd_scratch(asked: ScratchQuery) -> int:
    """Singular values: a copy of the matrix, and square matrices of both sides, whether they are asked for or not."""
    shape = asked.shape
    count = Unknown("no shape") if isinstance(shape, Unknown) else numel(shape)
    if asked.op.name != "SVD" or isinstance(shape, Unknown) or isinstance(count, Unknown) or not count:
        return 0
    return asked.inputs[0] + asked.inputs[0] * sum(n * n for n in shape[-2:] if isinstance(n, int)) // count


def _eigh_scratch(asked: ScratchQuery) -> int:
    """Eigh: two copies of the matrix, unless the eigenvectors are asked for."""
    return 0 if asked.outputs[-1] else 2 * asked.inputs[0]


OPS = (
    OpSpec("Det", dtype=_decomposition_dtype, scratch=_factored(1, 0), gpu=GpuLowering(stays_on_host=True)),
    *alike("Eig SolveTriangular", nan_without_result=True, dtype=_decomposition_dtype, scratch=_factored(1, 0),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Solve", nan_without_result=True, dtype=_decomposition_dtype, scratch=_factored(2, 2), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Eigh", overwrite_flags={"overwrite_a": (1, 0), "overwrite_b": (1, 1)}, nan_without_result=True, dtype=_decomposition_dtype,
        scratch=_eigh_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("LU", overwrite_flags={"overwrite_a": (1, 0)}, nan_without_result=True, scratch=_factored(1, 0)),
    OpSpec("LUFactor", overwrite_flags={"overwrite_a": (1, 0)}, nan_without_result=True, dtype=first_and("int32"),
        scratch=_factored(1, 0)),
    OpSpec("LUFactorTridiagonal", overwrite_flags={"overwrite_dl": (0, 0), "overwrite_d": (1, 1), "overwrite_du": (2, 2)}),
    OpSpec("QZ", overwrite_flags={"overwrite_a": (0, 0), "overwrite_b": (1, 1)}),
    OpSpec("SolveLUFactorTridiagonal", overwrite_flags={"overwrite_b": (0, 5)}),
    OpSpec("Cholesky", nan_without_result=True, dtype=_decomposition_dtype, gpu_memory=with_workspace("cuSOLVER")),
    *alike("CholeskyGrad Eigvalsh Expm QRFull QRIncomplete", dtype=_decomposition_dtype),
    OpSpec("CholeskySolve", nan_without_result=True, dtype=_decomposition_dtype, scratch=_factored(1, 2)),
    *alike("CublasTriangularSolve CusolverSolve", gpu_memory=with_workspace("cuSOLVER")),
    *alike("Kron KroneckerProduct", dtype=all_inputs),
    OpSpec("Lstsq", scratch=_factored(2, 2)),
    *alike("MagmaCholesky MagmaEigh MagmaMatrixInverse MagmaQR MagmaSVD", gpu_memory=with_workspace("MAGMA")),
    OpSpec("MatrixInverse", nan_without_result=True, dtype=_decomposition_dtype, scratch=_factored(2, 2)),
    OpSpec("MatrixPinv", dtype=_decomposition_dtype, scratch=_factored(2, 2)),
    OpSpec("PivotToPermutations", dtype=always(INDEX)),
    OpSpec("QR", dtype=_decomposition_dtype, scratch=_qr_scratch),
    OpSpec("SLogDet", dtype=_decomposition_dtype, scratch=_factored(1, 0)),
    OpSpec("SVD", nan_without_result=True, dtype=_decomposition_dtype, scratch=_svd_scratch),
)  # fmt: skip
"""The entries of this family."""
