"""Shape rules of rarer decompositions, solvers and optimisers, of each generation.

Sources: PyTensor 3.3.7 tensor/linalg/decomposition, tensor/linalg/solvers, tensor/optimize.py; Theano 1.0.5 tensor/nlinalg.py,
tensor/slinalg.py; Aesara 2.9.4 tensor/slinalg.py: `infer_shape`, and `perform` where there is none.
"""

from __future__ import annotations

from ..ir.shape import Dim, Unknown
from .dimensions import Bound, NoShape, least, lift
from .linalg import matrix
from .registry import Rule, Shapes, like
from .state import Node


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


RULES: dict[str, Rule] = {
    "LU": lu, "LUFactor": lu_factor, "PivotToPermutations": like(0), "Schur": schur, "QZ": generalised_schur,
    "LUFactorTridiagonal": tridiagonal_factors, "SolveLUFactorTridiagonal": like(5), "TRSYL": like(2), "SolveSylvester": like(2),
    "SolveContinuousLyapunov": like(1), "BilinearSolveDiscreteLyapunov": like(1), "SolveBilinearDiscreteLyapunov": like(1),
    "SolveDiscreteARE": like(0),
    **dict.fromkeys(("Lstsq", "lstsq"), least_squares), "TensorInv": tensor_inverse, "TensorSolve": tensor_solution,
    **dict.fromkeys(("EighGrad", "EigvalshGrad", "ExpmGrad", "Inv"), like(0)),
    **dict.fromkeys(("MinimizeOp", "MinimizeScalarOp", "RootOp", "RootScalarOp"), minimum),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
