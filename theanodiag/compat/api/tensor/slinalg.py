"""Serves `theano.tensor.slinalg` from this layer's ops/linalg.py and PyTensor's Expm."""

from pytensor.tensor.linalg import Expm

from ...ops.linalg import MATRIX_STRUCTURES, Cholesky, CholeskyGrad, Eigvalsh, EigvalshGrad, Solve, eigvalsh, kron

imported_scipy = True
cholesky = Cholesky()
expm = Expm()
solve = Solve()
solve_lower_triangular = Solve(A_structure="lower_triangular", lower=True)
solve_upper_triangular = Solve(A_structure="upper_triangular", lower=False)
solve_symmetric = Solve(A_structure="symmetric")
