"""Serves `theano.tensor.nlinalg` from pytensor.tensor.linalg: Ops on one matrix, without PyTensor's batch dimensions."""

from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.tensor import linalg as _linalg
from pytensor.tensor.basic import ExtractDiag
from pytensor.tensor.linalg import (
    SVD,
    Det,
    MatrixInverse,
    MatrixPinv,
    TensorInv,
    TensorSolve,
    matrix_dot,
    matrix_power,
    tensorinv,
    tensorsolve,
    trace,
)

from ...ops.linalg import AllocDiag, Eig, Eigh, EighGrad, QRFull, QRIncomplete, qr
from ...ops.linalg import zero_disconnected as _zero_disconnected

matrix_inverse = MatrixInverse()
pinv = MatrixPinv(hermitian=False)
det = Det()
eig = Eig()
alloc_diag = AllocDiag()
extract_diag = ExtractDiag()
lstsq = getattr(_linalg, "Lstsq", None) or type(_linalg.lstsq)


def eigh(a: Any, UPLO: str = "L") -> Any:
    """Returns [eigenvalues, eigenvectors] of the symmetric matrix `a`; only its triangle `UPLO` is used."""
    return Eigh(UPLO)(a)


def svd(a: Any, full_matrices: Any = 1, compute_uv: Any = 1) -> Any:
    """Returns [U, s, V] of the matrix `a`, or only s if `compute_uv` is false."""
    return SVD(bool(full_matrices), bool(compute_uv))(a)


def diag(x: Any) -> Any:
    """Returns the diagonal of a matrix, or a matrix with the given vector on its diagonal. Raises TypeError for another rank."""
    x = pt.as_tensor_variable(x)
    if x.type.ndim not in (1, 2):
        raise TypeError("diag requires vector or matrix argument", x)
    return (alloc_diag if x.type.ndim == 1 else extract_diag)(x)


def norm(x: Any, ord: Any) -> Any:
    """Returns the norm of order `ord` of a vector or matrix; infinite orders are written as "inf" and "-inf".

    Raises ValueError or NotImplementedError for orders and ranks that Theano rejects.
    """
    x = pt.as_tensor_variable(x)
    if x.ndim == 0:
        raise ValueError("'axis' entry is out of bounds.")
    if x.ndim > 2:
        raise NotImplementedError("We don't support norm with ndim > 2")
    if ord is None or (ord == "fro" and x.ndim == 2):
        return pt.sum(abs(x**2)) ** 0.5
    extreme = {"inf": pt.max, "-inf": pt.min}
    if ord in extreme:
        return extreme[ord](abs(x) if x.ndim == 1 else pt.sum(abs(x), axis=1))
    if x.ndim == 2:
        if ord not in (1, -1):
            raise ValueError(0)
        return extreme["inf" if ord == 1 else "-inf"](pt.sum(abs(x), axis=0))
    if ord == 0:
        return x[x.nonzero()].shape[0]
    if not isinstance(ord, (int, float, np.number)):
        raise ValueError("Invalid norm order for vectors.")
    return pt.sum(abs(x**ord)) ** (1.0 / ord)
