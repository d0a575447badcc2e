"""Decompositions and solvers.

Sources: Theano 1.0.5 tensor/slinalg.py, nlinalg.py; PyTensor 3.0.7 and 3.3.7 tensor/linalg (what is overwritten).
"""

from __future__ import annotations

from ..agent.shapes.dimensions import (
    Bound,
    NoShape,
    agreed,
    least,
    lift,
)
from ..ir import Apply, FunctionGraph, Shape, Type, Unknown, numel
from ..ir.shape import Dim
from .dtypes import INDEX, Dtypes, TypeQuery, all_inputs, always, as_float, first_and, widest
from .memory_effects import with_workspace
from .node import Like, Node, Shapes, sized, typed_like
from .spec import Equal, GpuLowering, OpSpec, ScratchQuery, ScratchRule, alike, rank_of


def matrix(node: Node) -> Shape:
    """Returns the shape of a node's first input, which is a matrix or a batch of matrices. Raises NoShape for fewer than two dimensions."""
    shape = node.shape(0)
    if len(shape) < 2:
        raise NoShape(f"{node.op.name} of fewer than two dimensions")
    return shape


def transposed(node: Node) -> Shapes:
    """Returns the output shape of the pseudo-inverse of (..., m, n): (..., n, m)."""
    shape = matrix(node)
    return [(*shape[:-2], shape[-1], shape[-2])]


def determinant(node: Node) -> Shapes:
    """Returns the output shapes of Det and SLogDet: one number (or two, sign and logarithm) for each matrix."""
    return [matrix(node)[:-2]] * node.n_outputs


def eigen(node: Node) -> Shapes:
    """Returns the output shapes of eigenvalue Ops: eigenvalues (..., n), and eigenvectors (..., n, n) if there is a second output."""
    shape = matrix(node)
    return [shape[:-1], shape][: node.n_outputs]


def svd(node: Node) -> Shapes:
    """Returns the output shapes of SVD: U, singular values and V, reduced or with `full_matrices`; with one output the singular values
    alone.
    """
    *batch, m, n = matrix(node)
    k = least(m, n)
    if node.n_outputs == 1:
        return [(*batch, k)]
    full = node.flag("full_matrices", True)
    return [(*batch, m, m if full else k), (*batch, k), (*batch, n if full else k, n)]


def qr(node: Node) -> Shapes:
    """Returns the output shapes of QR: Q and R. The mode has numpy's names (Theano, Aesara; `full` is an old name of `reduced`) or scipy's
    (PyTensor 3).

    If the result is only R, it has all rows if Python computes it, and at most as many rows as columns if Numba does. Source: PyTensor
    3.0.7 and 3.3.7 tensor/linalg/decomposition/qr.py, link/numba/dispatch/linalg/decomposition/qr.py, and runs of both.
    """
    *batch, m, n = matrix(node)
    k, mode = least(m, n), node.params.get("mode", "reduced")
    complete, reduced, alone = [(*batch, m, m), (*batch, m, n)], [(*batch, m, k), (*batch, k, n)], [(*batch, k, n)]
    if node.op.name == "QR":
        rows = m if isinstance(m, Unknown) or m == k else Bound(m)
        by_mode: dict[object, list[Shape]] = {
            "full": complete, "economic": reduced, "r": [(*batch, rows, n)], "raw": [(*batch, m, n), (*batch, k), *alone],
        }  # fmt: skip
    else:
        by_mode = {"complete": complete, "full": reduced, "reduced": reduced, "r": alone, "economic": [(*batch, m, n)],
                "raw": [(*batch, n, m), (*batch, k)]}  # fmt: skip
    shapes = [*by_mode.get(mode if isinstance(mode, str) else "", []), *([(*batch, n)] if node.flag("pivoting") else [])]
    if len(shapes) < node.n_outputs:
        raise NoShape(f"no size rule for {node.op.name} in this mode")
    return shapes[: node.n_outputs]


def magma_qr(node: Node) -> Shapes:
    """Returns the output shapes of GpuMagmaQR, which are R, then Q. Source: Theano 1.0.5 gpuarray/linalg.py, gpuarray/c_code/magma_qr.c."""
    *batch, m, n = matrix(node)
    k = least(m, n)
    return [(*batch, k, n), (*batch, m, k)][: node.n_outputs]


def solved(node: Node) -> Shapes:
    """Returns the output shape of Solve of (square matrix, right side): the shape of the right side."""
    right, square = node.shape(1, least=1), node.maybe(0)
    axis = 1 if len(right) == 1 or node.integer("b_ndim") == 1 else 2
    rows = right[-axis] if isinstance(square, Unknown) or not square else agreed([square[-1], right[-axis]])
    return [(*right[:-axis], rows, *right[len(right) - axis + 1 :])]


def kronecker(node: Node) -> Shapes:
    """Returns the output shape of Kron: products of the inputs' dimensions."""
    a, b = node.shape(0), node.shape(1)
    return [tuple(lift(int.__mul__, x, y) for x, y in zip(a, b))]


def lu(node: Node) -> Shapes:
    """Returns the output shapes of LU of a square matrix: a permutation as a matrix or (`p_indices`) a vector, and two factors.

    With `permute_l` there are only the factors.
    """
    *batch, n, _ = matrix(node)
    square, vector = (*batch, n, n), (*batch, n)
    return [square, square] if node.n_outputs == 2 else [vector if node.flag("p_indices") else square, square, square]


def lu_factor(node: Node) -> Shapes:
    """Returns the output shapes of LUFactor: both factors in one matrix, and the pivots."""
    shape = matrix(node)
    return [shape, shape[:-1]]


def tridiagonal_factors(node: Node) -> Shapes:
    """Returns the output shapes of LUFactorTridiagonal of (lower, diagonal, upper): factors of these lengths, a second upper diagonal, the
    pivots.
    """
    lower, diagonal, upper = node.shape(0), node.shape(1, least=1), node.shape(2)
    second = (*diagonal[:-1], lift(lambda n: max(0, n - 2), diagonal[-1]))
    return [lower, diagonal, upper, second, diagonal]


def schur(node: Node) -> Shapes:
    """Returns the output shapes of Schur: two matrices shaped as the input."""
    return [matrix(node)] * node.n_outputs


def generalised_schur(node: Node) -> Shapes:
    """Returns the output shapes of QZ of two matrices: four matrices, and between them two vectors of eigenvalues if requested."""
    a, b = matrix(node), node.shape(1)
    return [a, b, a, b] if node.n_outputs == 4 else [a, b, a[:-1], a[:-1], a, b]


def least_squares(node: Node) -> Shapes:
    """Returns the output shapes of Lstsq: the solution, residuals (none if they are not unique), the rank, the singular values."""
    (rows, columns), right = matrix(node)[-2:], node.shape(1)
    residuals: Dim = right[1] if len(right) > 1 else 1
    most = residuals if isinstance(residuals, Unknown) else Bound(residuals)
    return [(columns, *right[1:]), (most,), (), (least(rows, columns),)]


def tensor_inverse(node: Node) -> Shapes:
    """Returns the output shape of TensorInv: the dimensions from `ind` on, then those before it."""
    shape, at = node.shape(0), node.integer("ind", 2) or 2
    return [(*shape[at:], *shape[:at])]


def tensor_solution(node: Node) -> Shapes:
    """Returns the output shape of TensorSolve of (a, b): the dimensions of `a` that `b` lacks, after the axes given as a parameter were
    moved to the end.
    """
    shape, axes = node.shape(0), node.integers("axes") or node.integers("axis") or []
    if any(not -len(shape) <= i < len(shape) for i in axes):
        raise NoShape("TensorSolve names a dimension that its input does not have")
    axes = [i % len(shape) for i in axes]
    moved = (*(d for i, d in enumerate(shape) if i not in axes), *(shape[i] for i in axes))
    return [moved[len(node.shape(1)) :]]


def minimum(node: Node) -> Shapes:
    """Returns the output shapes of optimizers and root finders: those of the solution (the shape of the starting point) and of a scalar
    that says whether it was found.
    """
    return [node.shape(0), ()]


def _decomposition_dtype(query: TypeQuery) -> Dtypes:
    """The dtype of a decomposition's results, or of a solution: that of the matrix."""
    dtype = widest(query.inputs)
    return [dtype and as_float(dtype)]


def _factored(matrices: int, others: int) -> ScratchRule:
    """The workspace rule of a decomposition that makes these numbers of copies of its matrix, the first input, and of its other inputs."""
    return lambda query: matrices * query.inputs[0] + others * sum(query.inputs[1:])


def _qr_scratch(query: ScratchQuery) -> int:
    """QR: both factors, even if not requested, and a copy of the matrix."""
    return query.inputs[0] + sum(query.outputs)


def _svd_scratch(query: ScratchQuery) -> int:
    """Singular values: a copy of the matrix, and square matrices of both sides, even if not requested."""
    shape = query.shape
    count = Unknown("no shape") if isinstance(shape, Unknown) else numel(shape)
    if query.op.name != "SVD" or isinstance(shape, Unknown) or isinstance(count, Unknown) or not count:
        return 0
    return query.inputs[0] + query.inputs[0] * sum(n * n for n in shape[-2:] if isinstance(n, int)) // count


def _eigh_scratch(query: ScratchQuery) -> int:
    """Eigh: two copies of the matrix, unless the eigenvectors are requested."""
    return 0 if query.outputs[-1] else 2 * query.inputs[0]


def _square_agrees(node: Node) -> Equal:
    """For factorisations and inverses: the last two lengths of the input (rows, columns) must be equal."""
    rank = rank_of(node, 0)
    if rank > 1:
        yield 0, rank - 2, 0, rank - 1, 1


def _solved_agrees(node: Node) -> Equal:
    """For Solve: the matrix must be square, and the right-hand side must have as many rows."""
    yield from _square_agrees(node)
    rank, right = rank_of(node, 0), rank_of(node, 1)
    if rank == 2 and right in (1, 2):
        yield 0, 0, 1, 0, 1


_AS_MATRIX, _AS_VECTOR = slice(None), slice(-1)
_PARTS: dict[str, tuple[tuple[slice, str | None], ...]] = {
    "SVD": ((_AS_MATRIX, None), (_AS_VECTOR, None), (_AS_MATRIX, None)), "QRFull": ((_AS_MATRIX, None),) * 2,
    "QR": ((_AS_MATRIX, None),) * 2, "Eigh": ((_AS_VECTOR, None), (_AS_MATRIX, None)), "SLogDet": ((slice(-2), None),) * 2,
    "LU": ((_AS_MATRIX, None),) * 3, "LUFactor": ((_AS_MATRIX, None), (_AS_VECTOR, "int32")), "Schur": ((_AS_MATRIX, None),) * 2,
}  # fmt: skip
"""Decomposition -> for each output, which dimensions of the matrix it has, and its dtype if that differs."""
_FEWER = (("compute_uv", False), ("mode", "r"), ("permute_l", True), ("p_indices", True), ("mode", "raw"), ("pivoting", True))
"""Parameters and values with which a decomposition has fewer or other outputs."""


def _decomposition_outputs(graph: FunctionGraph, node: Apply) -> list[Type] | None:
    """Types of the parts of a decomposition. Sources: Theano 1.0.5 tensor/nlinalg.py, PyTensor 3.3.7 tensor/linalg/decomposition."""
    x, params = graph.variables[node.inputs[0]].type, node.op.params
    if not sized(x) or x.ndim < 2 or any(params.get(k) == value for k, value in _FEWER):
        return None
    name = node.op.name.replace("GpuMagma", "")
    return [typed_like(x, dtype or x.dtype, (None,) * len(x.shape[cut])) for cut, dtype in _PARTS[name]]


OPS = (
    OpSpec("Det", shape=determinant, agrees=_square_agrees, dtype=_decomposition_dtype, xla_scratch=_factored(1, 0),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Eig", nan_without_result=True, shape=eigen, dtype=_decomposition_dtype, xla_scratch=_factored(1, 0),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Solve", nan_without_result=True, shape=solved, agrees=_solved_agrees, dtype=_decomposition_dtype, xla_scratch=_factored(2, 2),
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("SolveTriangular", nan_without_result=True, shape=solved, agrees=_solved_agrees, dtype=_decomposition_dtype,
        xla_scratch=_factored(1, 0), gpu=GpuLowering(stays_on_host=True)),
    OpSpec("Eigh", overwrite_flags={"overwrite_a": (1, 0), "overwrite_b": (1, 1)}, nan_without_result=True, shape=eigen,
        all_outputs=_decomposition_outputs, dtype=_decomposition_dtype, xla_scratch=_eigh_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("LU", overwrite_flags={"overwrite_a": (1, 0)}, nan_without_result=True, shape=lu, all_outputs=_decomposition_outputs,
        xla_scratch=_factored(1, 0)),
    OpSpec("LUFactor", overwrite_flags={"overwrite_a": (1, 0)}, nan_without_result=True, shape=lu_factor,
        all_outputs=_decomposition_outputs, dtype=first_and("int32"), xla_scratch=_factored(1, 0)),
    OpSpec("LUFactorTridiagonal", overwrite_flags={"overwrite_dl": (0, 0), "overwrite_d": (1, 1), "overwrite_du": (2, 2)},
        shape=tridiagonal_factors),
    OpSpec("QZ", overwrite_flags={"overwrite_a": (0, 0), "overwrite_b": (1, 1)}, shape=generalised_schur),
    OpSpec("SolveLUFactorTridiagonal", overwrite_flags={"overwrite_b": (0, 5)}, shape=Like(5)),
    *alike("BilinearSolveDiscreteLyapunov SolveBilinearDiscreteLyapunov SolveContinuousLyapunov", shape=Like(1)),
    OpSpec("Cholesky", nan_without_result=True, shape=Like(0), agrees=_square_agrees, dtype=_decomposition_dtype,
        gpu_memory=with_workspace("cuSOLVER")),
    *alike("CholeskyGrad Expm", shape=Like(0), dtype=_decomposition_dtype),
    OpSpec("CholeskySolve", nan_without_result=True, shape=solved, dtype=_decomposition_dtype, xla_scratch=_factored(1, 2)),
    OpSpec("CublasTriangularSolve", shape=Like(1), gpu_memory=with_workspace("cuSOLVER")),
    OpSpec("CusolverCholesky", shape=Like(0), agrees=_square_agrees),
    OpSpec("CusolverSolve", shape=Like(1), agrees=_solved_agrees, gpu_memory=with_workspace("cuSOLVER")),
    *alike("EighGrad EigvalshGrad ExpmGrad Inv SolveDiscreteARE", shape=Like(0)),
    OpSpec("Eigvalsh", shape=eigen, dtype=_decomposition_dtype),
    *alike("Kron KroneckerProduct", shape=kronecker, dtype=all_inputs),
    OpSpec("Lstsq", shape=least_squares, xla_scratch=_factored(2, 2)),
    *alike("MagmaCholesky MagmaMatrixInverse", shape=Like(0), agrees=_square_agrees, gpu_memory=with_workspace("MAGMA")),
    OpSpec("MagmaEigh", shape=eigen, all_outputs=_decomposition_outputs, gpu_memory=with_workspace("MAGMA")),
    OpSpec("MagmaPinv", shape=transposed),
    OpSpec("MagmaQR", shape=magma_qr, all_outputs=_decomposition_outputs, gpu_memory=with_workspace("MAGMA")),
    OpSpec("MagmaSVD", shape=svd, all_outputs=_decomposition_outputs, gpu_memory=with_workspace("MAGMA")),
    OpSpec("MatrixInverse", nan_without_result=True, shape=Like(0), agrees=_square_agrees, dtype=_decomposition_dtype,
        xla_scratch=_factored(2, 2)),
    OpSpec("MatrixPinv", shape=transposed, dtype=_decomposition_dtype, xla_scratch=_factored(2, 2)),
    *alike("MinimizeOp MinimizeScalarOp RootOp RootScalarOp", shape=minimum),
    OpSpec("PivotToPermutations", shape=Like(0), dtype=always(INDEX)),
    OpSpec("QR", shape=qr, all_outputs=_decomposition_outputs, dtype=_decomposition_dtype, xla_scratch=_qr_scratch),
    OpSpec("QRFull", shape=qr, all_outputs=_decomposition_outputs, dtype=_decomposition_dtype),
    OpSpec("QRIncomplete", shape=qr, dtype=_decomposition_dtype),
    OpSpec("SLogDet", shape=determinant, all_outputs=_decomposition_outputs, dtype=_decomposition_dtype, xla_scratch=_factored(1, 0)),
    OpSpec("SVD", nan_without_result=True, shape=svd, all_outputs=_decomposition_outputs, dtype=_decomposition_dtype,
        xla_scratch=_svd_scratch),
    OpSpec("Schur", shape=schur, all_outputs=_decomposition_outputs),
    OpSpec("SolveBase", shape=solved),
    *alike("SolveSylvester TRSYL", shape=Like(2)),
    OpSpec("TensorInv", shape=tensor_inverse),
    OpSpec("TensorSolve", shape=tensor_solution),
    OpSpec("lstsq", shape=least_squares),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""
