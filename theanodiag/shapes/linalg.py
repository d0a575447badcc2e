"""Shape rules of linear algebra: inverses, factorisations and solvers of numpy, scipy, MAGMA and cuSOLVER. Rarer ones are in `solvers`."""

from __future__ import annotations

from ..agent.shapes.dimensions import Bound, NoShape, agreed, least, lift
from ..ir.shape import Dim, Shape, Unknown
from .registry import Rule, Shapes, like
from .state import Node


def matrix(node: Node) -> Shape:
    """Shape of the first input, a matrix or a batch of them; raises NoShape for fewer than two dimensions."""
    shape = node.shape(0)
    if len(shape) < 2:
        raise NoShape(f"{node.op.name} of fewer than two dimensions")
    return shape


def transposed(node: Node) -> Shapes:
    """Pseudo-inverse of (..., m, n): (..., n, m)."""
    shape = matrix(node)
    return [(*shape[:-2], shape[-1], shape[-2])]


def determinant(node: Node) -> Shapes:
    """Det and SLogDet: one number (or two, sign and logarithm) for each matrix."""
    return [matrix(node)[:-2]] * node.n_outputs


def eigen(node: Node) -> Shapes:
    """Eigenvalues (..., n), and eigenvectors (..., n, n) where there is a second output."""
    shape = matrix(node)
    return [shape[:-1], shape][: node.n_outputs]


def svd(node: Node) -> Shapes:
    """SVD: U, singular values and V, reduced or with `full_matrices`; with one output the singular values alone."""
    *batch, m, n = matrix(node)
    k = least(m, n)
    if node.n_outputs == 1:
        return [(*batch, k)]
    full = node.flag("full_matrices", True)
    return [(*batch, m, m if full else k), (*batch, k), (*batch, n if full else k, n)]


def qr(node: Node) -> Shapes:
    """Q and R by the mode, in numpy's words (Theano, Aesara; `full` is an old name of `reduced`) or in scipy's (PyTensor 3).

    R alone has all rows where Python computes it, and no more than columns where Numba does.
    Source: PyTensor 3.0.7 and 3.3.7 tensor/linalg/decomposition/qr.py, link/numba/dispatch/linalg/decomposition/qr.py, run.
    """
    *batch, m, n = matrix(node)
    k, mode = least(m, n), node.params.get("mode", "reduced")
    complete, reduced, alone = [(*batch, m, m), (*batch, m, n)], [(*batch, m, k), (*batch, k, n)], [(*batch, k, n)]
    if node.op.name == "QR":
        rows = m if isinstance(m, Unknown) or m == k else Bound(m)
        made: dict[object, list[Shape]] = {
            "full": complete, "economic": reduced, "r": [(*batch, rows, n)], "raw": [(*batch, m, n), (*batch, k), *alone],
        }  # fmt: skip
    else:
        made = {"complete": complete, "full": reduced, "reduced": reduced, "r": alone, "economic": [(*batch, m, n)],
                "raw": [(*batch, n, m), (*batch, k)]}  # fmt: skip
    found = [*made.get(mode if isinstance(mode, str) else "", []), *([(*batch, n)] if node.flag("pivoting") else [])]
    if len(found) < node.n_outputs:
        raise NoShape(f"no size rule for {node.op.name} in this mode")
    return found[: node.n_outputs]


def magma_qr(node: Node) -> Shapes:
    """GpuMagmaQR, whose outputs are R, then Q. Source: Theano 1.0.5 gpuarray/linalg.py, gpuarray/c_code/magma_qr.c."""
    *batch, m, n = matrix(node)
    k = least(m, n)
    return [(*batch, k, n), (*batch, m, k)][: node.n_outputs]


def solved(node: Node) -> Shapes:
    """Solve of (square matrix, right side): the shape of the right side."""
    right, square = node.shape(1, least=1), node.maybe(0)
    axis = 1 if len(right) == 1 or node.integer("b_ndim") == 1 else 2
    rows = right[-axis] if isinstance(square, Unknown) or not square else agreed([square[-1], right[-axis]])
    return [(*right[:-axis], rows, *right[len(right) - axis + 1 :])]


def kronecker(node: Node) -> Shapes:
    """Kron: products of the dimensions."""
    a, b = node.shape(0), node.shape(1)
    return [tuple(lift(int.__mul__, x, y) for x, y in zip(a, b))]


_LINALG_RULES: dict[str, Rule] = {
    **dict.fromkeys(("Cholesky", "CholeskyGrad", "CusolverCholesky", "MagmaCholesky", "Expm"), like(0)),
    **dict.fromkeys(("MatrixInverse", "MagmaMatrixInverse"), like(0)),
    **dict.fromkeys(("Solve", "SolveTriangular", "CholeskySolve", "SolveBase"), solved),
    **dict.fromkeys(("CusolverSolve", "CublasTriangularSolve"), like(1)),
    **dict.fromkeys(("MatrixPinv", "MagmaPinv"), transposed),
    **dict.fromkeys(("Det", "SLogDet"), determinant),
    **dict.fromkeys(("Eig", "Eigh", "Eigvalsh", "MagmaEigh"), eigen),
    **dict.fromkeys(("SVD", "MagmaSVD"), svd),
    **dict.fromkeys(("QR", "QRFull", "QRIncomplete"), qr),
    "MagmaQR": magma_qr, "Kron": kronecker, "KroneckerProduct": kronecker,
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


def lu(node: Node) -> Shapes:
    """LU of a square matrix: a permutation as a matrix or (`p_indices`) a vector, and two factors.

    With `permute_l` there are only the factors.
    """
    *batch, n, _ = matrix(node)
    square, vector = (*batch, n, n), (*batch, n)
    return [square, square] if node.n_outputs == 2 else [vector if node.flag("p_indices") else square, square, square]


def lu_factor(node: Node) -> Shapes:
    """LUFactor: both factors in one matrix, and the pivots."""
    shape = matrix(node)
    return [shape, shape[:-1]]


def tridiagonal_factors(node: Node) -> Shapes:
    """LUFactorTridiagonal of (lower, diagonal, upper): factors of these lengths, a second upper diagonal, the pivots."""
    lower, diagonal, upper = node.shape(0), node.shape(1, least=1), node.shape(2)
    second = (*diagonal[:-1], lift(lambda n: max(0, n - 2), diagonal[-1]))
    return [lower, diagonal, upper, second, diagonal]


def schur(node: Node) -> Shapes:
    """Schur: two matrices shaped as the input."""
    return [matrix(node)] * node.n_outputs


def generalised_schur(node: Node) -> Shapes:
    """QZ of two matrices: four matrices, and in the middle two vectors of eigenvalues where these are asked for."""
    a, b = matrix(node), node.shape(1)
    return [a, b, a, b] if node.n_outputs == 4 else [a, b, a[:-1], a[:-1], a, b]


def least_squares(node: Node) -> Shapes:
    """Lstsq: the solution, residuals (none where they are not unique), the rank, the singular values."""
    (rows, columns), right = matrix(node)[-2:], node.shape(1)
    residuals: Dim = right[1] if len(right) > 1 else 1
    most = residuals if isinstance(residuals, Unknown) else Bound(residuals)
    return [(columns, *right[1:]), (most,), (), (least(rows, columns),)]


def tensor_inverse(node: Node) -> Shapes:
    """TensorInv: the dimensions from `ind` on, then those before it."""
    shape, at = node.shape(0), node.integer("ind", 2) or 2
    return [(*shape[at:], *shape[:at])]


def tensor_solution(node: Node) -> Shapes:
    """TensorSolve of (a, b): the dimensions of `a` that `b` lacks, once the named axes are moved to the end."""
    shape, axes = node.shape(0), node.integers("axes") or node.integers("axis") or []
    if any(not -len(shape) <= i < len(shape) for i in axes):
        raise NoShape("TensorSolve names a dimension that its input does not have")
    axes = [i % len(shape) for i in axes]
    moved = (*(d for i, d in enumerate(shape) if i not in axes), *(shape[i] for i in axes))
    return [moved[len(node.shape(1)) :]]


def minimum(node: Node) -> Shapes:
    """Optimisers and root finders: the solution, shaped as the starting point, and whether it was found."""
    return [node.shape(0), ()]


_SOLVERS_RULES: dict[str, Rule] = {
    "LU": lu, "LUFactor": lu_factor, "PivotToPermutations": like(0), "Schur": schur, "QZ": generalised_schur,
    "LUFactorTridiagonal": tridiagonal_factors, "SolveLUFactorTridiagonal": like(5), "TRSYL": like(2), "SolveSylvester": like(2),
    "SolveContinuousLyapunov": like(1), "BilinearSolveDiscreteLyapunov": like(1), "SolveBilinearDiscreteLyapunov": like(1),
    "SolveDiscreteARE": like(0),
    **dict.fromkeys(("Lstsq", "lstsq"), least_squares), "TensorInv": tensor_inverse, "TensorSolve": tensor_solution,
    **dict.fromkeys(("EighGrad", "EigvalshGrad", "ExpmGrad", "Inv"), like(0)),
    **dict.fromkeys(("MinimizeOp", "MinimizeScalarOp", "RootOp", "RootScalarOp"), minimum),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_LINALG_RULES, **_SOLVERS_RULES}
"""Shape rule by class name of the Op."""
