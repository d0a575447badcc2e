"""Linear algebra (numpy's and scipy's, Magma's, cuSOLVER's) and Fourier transforms."""

from __future__ import annotations

from ..ir.shape import Dim, Shape
from .bound import NoShape, lift, product
from .registry import Rule, Shapes, like
from .state import Node


def matrix(node: Node) -> Shape:
    """The shape of the first input, which is a matrix or a stack of them."""
    shape = node.shape(0)
    if len(shape) < 2:
        raise NoShape(f"{node.op.name} of fewer than two dimensions")
    return shape


def transposed(node: Node) -> Shapes:
    """Pseudo-inverse."""
    shape = matrix(node)
    return [(*shape[:-2], shape[-1], shape[-2])]


def determinant(node: Node) -> Shapes:
    """One number (or two: sign and logarithm) for each matrix."""
    return [matrix(node)[:-2]] * node.n_outputs


def eigen(node: Node) -> Shapes:
    """Eigenvalues, and vectors where they are asked for."""
    shape = matrix(node)
    return [shape[:-1], shape][: node.n_outputs]


def _least(a: Dim, b: Dim) -> Dim:
    return lift(min, a, b)


def svd(node: Node) -> Shapes:
    """U, the singular values and V, reduced or full; or the values alone."""
    *batch, m, n = matrix(node)
    k = _least(m, n)
    if node.n_outputs == 1:
        return [(*batch, k)]
    full = node.flag("full_matrices", True)
    return [(*batch, m, m if full else k), (*batch, k), (*batch, n if full else k, n)]


def qr(node: Node) -> Shapes:
    """Q (m, k) and R (k, n), or all of (m, m), by the mode; R alone under mode "r"."""
    *_, m, n = matrix(node)
    mode = node.params.get("mode", "reduced")
    full = mode in ("full", "complete") or node.flag("complete")
    k = m if full and mode not in ("economic", "reduced", "r") else _least(m, n)
    if node.n_outputs > 2 or mode == "raw":
        raise NoShape(f"no size rule for {node.op.name} in this mode")
    return [(m, k), (k, n)] if node.n_outputs == 2 else [(k, n)]


def kronecker(node: Node) -> Shapes:
    """Kron: the products of the dimensions."""
    a, b = node.shape(0), node.shape(1)
    return [tuple(lift(int.__mul__, x, y) for x, y in zip(a, b))]


def real_fft(node: Node) -> Shapes:
    """RFFT of (batch, ...): the last dimension halved, real and imaginary part last. Source: Theano 1.0.5 tensor/fft.py."""
    dims = node.known(1)
    return [(node.shape(0)[0], *dims[:-1], lift(lambda n: n // 2 + 1, dims[-1]), 2)]


def inverse_real_fft(node: Node) -> Shapes:
    """IRFFT: back to the size that the second input says."""
    return [(node.shape(0)[0], *node.known(1))]


def flat_positions(node: Node) -> Shapes:
    """Neighbourhoods of an image as rows: (images, window, step). Source: Theano 1.0.5 tensor/nnet/neighbours.py."""
    shape, window, step = node.shape(0), node.numbers(1), node.numbers(2)
    if window is None or step is None or len(shape) != 4 or node.params.get("mode") not in ("valid", "ignore_borders"):
        raise NoShape("the window of Images2Neibs is not known")
    per = [lift(lambda d, w, s: (d - w) // s + 1, d, w, s) for d, w, s in zip(shape[2:], window, step)]
    return [(product((*shape[:2], *per)), product(window))]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("Cholesky", "CholeskyGrad", "CusolverCholesky", "MagmaCholesky", "Expm"), like(0)),
    **dict.fromkeys(("MatrixInverse", "MagmaMatrixInverse"), like(0)),
    **dict.fromkeys(("Solve", "SolveTriangular", "CholeskySolve", "CusolverSolve", "CublasTriangularSolve", "SolveBase"), like(1)),
    **dict.fromkeys(("MatrixPinv", "MagmaPinv"), transposed),
    **dict.fromkeys(("Det", "SLogDet"), determinant),
    **dict.fromkeys(("Eig", "Eigh", "Eigvalsh", "MagmaEigh"), eigen),
    **dict.fromkeys(("SVD", "MagmaSVD"), svd),
    **dict.fromkeys(("QR", "QRFull", "QRIncomplete", "MagmaQR"), qr),
    **dict.fromkeys(("RFFTOp", "CuRFFTOp"), real_fft),
    **dict.fromkeys(("IRFFTOp", "CuIRFFTOp"), inverse_real_fft),
    "Kron": kronecker, "KroneckerProduct": kronecker, "Images2Neibs": flat_positions,
}  # fmt: skip
