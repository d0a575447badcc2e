"""Linear algebra with the interface of `theano.tensor.nlinalg` and `slinalg`: Ops on matrices, and the gradients of decompositions."""

from typing import Any, List

import numpy as np
import pytensor.scalar as ps
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.tensor.linalg import Expm
from pytensor.tensor.type import TensorType

from .op import LegacyOp

MATRIX_STRUCTURES = ("general", "symmetric", "lower_triangular", "upper_triangular", "hermitian", "banded", "diagonal", "toeplitz")
"""Values of `Solve.A_structure` that Theano accepts; only the two triangular ones choose another algorithm."""
_TRANSPOSED = {"lower_triangular": "upper_triangular", "upper_triangular": "lower_triangular"}


def _matrix(dtype: str) -> Any:
    return TensorType(dtype, (False, False))()


def _matrices(*values: Any) -> List[Any]:
    matrices = [pt.as_tensor_variable(value) for value in values]
    for value in matrices:
        assert value.ndim == 2
    return matrices


class Solve(LegacyOp):
    """Solves `A x = b` for x; a triangular `A_structure` selects substitution. The overwrite options are accepted and have no effect."""

    __props__ = ("A_structure", "lower", "overwrite_A", "overwrite_b")

    def __init__(self, A_structure: str = "general", lower: bool = False, overwrite_A: bool = False, overwrite_b: bool = False) -> None:
        if A_structure not in MATRIX_STRUCTURES:
            raise ValueError("Invalid matrix structure argument", A_structure)
        self.A_structure = A_structure
        self.lower = lower
        self.overwrite_A = overwrite_A
        self.overwrite_b = overwrite_b

    def make_node(self, A: Any, b: Any) -> Apply:
        """Makes the Apply node for a matrix `A` and a vector or matrix `b`; the output's dtype is that of scipy.linalg.solve."""
        A, b = pt.as_tensor_variable(A), pt.as_tensor_variable(b)
        assert A.ndim == 2
        assert b.ndim in (1, 2)
        import scipy.linalg

        dtype = str(scipy.linalg.solve(np.eye(1, dtype=A.dtype), np.eye(1, dtype=b.dtype)).dtype)
        return Apply(self, [A, b], [TensorType(dtype, b.type.broadcastable)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls scipy.linalg.solve_triangular for a triangular structure, else scipy.linalg.solve."""
        import scipy.linalg

        A, b = inputs
        if self.A_structure in _TRANSPOSED:
            output_storage[0][0] = scipy.linalg.solve_triangular(A, b, lower=self.A_structure == "lower_triangular")
        else:
            output_storage[0][0] = scipy.linalg.solve(A, b)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns (columns of A, *shape of b without its first dimension)."""
        return [(shapes[0][1], *shapes[1][1:])]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the gradient of b: the solution of the transposed system. Gradient of A: its negative outer product with x, restricted to
        the triangle if A is triangular.
        """
        A, x = inputs[0], outputs[0]
        turned = Solve(_TRANSPOSED.get(self.A_structure, self.A_structure), lower=not self.lower)
        b_bar = turned(A.T, cotangents[0])
        A_bar = -pt.outer(b_bar, x) if x.ndim == 1 else -b_bar.dot(x.T)
        if self.A_structure in _TRANSPOSED:
            A_bar = (pt.tril if self.A_structure == "lower_triangular" else pt.triu)(A_bar)
        return [A_bar, b_bar]


class QRFull(Op):
    """QR decomposition of a matrix with two outputs, in a `mode` of numpy.linalg.qr; "raw" gives numpy's (h, tau)."""

    __props__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode: Any = mode

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a matrix. Raises AssertionError for another rank."""
        x = pt.as_tensor_variable(x)
        assert x.ndim == 2, "The input of qr function should be a matrix."
        second = TensorType(x.dtype, (False,))() if self.mode == "raw" else _matrix(x.dtype)
        return Apply(self, [x], [_matrix(x.dtype), second])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.linalg.qr."""
        output_storage[0][0], output_storage[1][0] = np.linalg.qr(inputs[0], self.mode)


class QRIncomplete(Op):
    """QR decomposition of a matrix with one output, the factor R, in a `mode` of numpy.linalg.qr."""

    __props__ = ("mode",)

    def __init__(self, mode: str) -> None:
        self.mode: Any = mode

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a matrix. Raises AssertionError for another rank."""
        x = pt.as_tensor_variable(x)
        assert x.ndim == 2, "The input of qr function should be a matrix."
        return Apply(self, [x], [_matrix(x.dtype)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.linalg.qr."""
        output_storage[0][0] = np.linalg.qr(inputs[0], self.mode)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Returns [Q, R] of the matrix `a`, or R alone in the modes "r", "economic" and "e"."""
    return (QRIncomplete if mode in ("r", "economic", "e") else QRFull)(mode)(a)


class _Half:
    """Folds the gradient of a symmetric matrix onto the triangle that is used: adds the elements of the other triangle."""

    def __init__(self, lower: bool) -> None:
        self.lower = lower

    def __call__(self, g: Any) -> Any:
        if self.lower:
            return np.tril(g) + np.triu(g, 1).T
        return np.triu(g) + np.tril(g, -1).T


class EighGrad(LegacyOp):
    """Gradient of a symmetric matrix from the gradients of its eigenvalues and eigenvectors; only the triangle `UPLO` of the matrix is
    used."""

    __props__ = ("UPLO",)

    def __init__(self, UPLO: str = "L") -> None:
        assert UPLO in ("L", "U")
        self.UPLO = UPLO

    def make_node(self, x: Any, w: Any, v: Any, gw: Any, gv: Any) -> Apply:
        """Makes the Apply node for the matrix x, its eigenvalues w and eigenvectors v, and the gradients of both."""
        inputs = [pt.as_tensor_variable(value) for value in (x, w, v, gw, gv)]
        assert [value.ndim for value in inputs] == [2, 1, 2, 1, 2]
        return Apply(self, inputs, [_matrix(ps.upcast(*(value.dtype for value in inputs)))])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """v (diag(gw) + (v' gv) / (w_j - w_i)) v', folded onto the triangle `UPLO`."""
        _, w, v, gw, gv = inputs
        gaps = w[None, :] - w[:, None]
        with np.errstate(divide="ignore"):
            weights = np.where(np.eye(len(w), dtype=bool), 0.0, 1.0 / gaps)
        g = v @ (np.diag(gw) + (v.T @ gv) * weights) @ v.T
        output_storage[0][0] = np.asarray(_Half(self.UPLO == "L")(g), dtype=node.outputs[0].dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the matrix."""
        return [shapes[0]]


class Eig(LegacyOp):
    """[eigenvalues, right eigenvectors] of a matrix, in the dtype of the matrix. As in Theano, only the real parts if
    the matrix is real."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a matrix."""
        (x,) = _matrices(x)
        return Apply(self, [x], [TensorType(x.dtype, (False,))(), _matrix(x.dtype)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.linalg.eig; numpy warns where imaginary parts are dropped."""
        for storage, value, variable in zip(output_storage, np.linalg.eig(inputs[0]), node.outputs):
            storage[0] = value.astype(variable.dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """(n,) for the eigenvalues and (n, n) for the eigenvectors."""
        n = shapes[0][0]
        return [(n,), (n, n)]


class Eigh(LegacyOp):
    """[eigenvalues, eigenvectors] of a symmetric matrix; only its triangle `UPLO` ("L" or "U") is used."""

    __props__ = ("UPLO",)

    def __init__(self, UPLO: str = "L") -> None:
        assert UPLO in ("L", "U")
        self.UPLO: Any = UPLO

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a matrix; the output's dtype is that of numpy.linalg.eigh."""
        (x,) = _matrices(x)
        dtype = str(np.linalg.eigh([[np.dtype(x.dtype).type()]])[0].dtype)
        return Apply(self, [x], [TensorType(dtype, (False,))(), _matrix(x.dtype if "int" not in x.dtype else dtype)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.linalg.eigh."""
        w, v = np.linalg.eigh(inputs[0], self.UPLO)
        output_storage[0][0], output_storage[1][0] = w, np.asarray(v)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """(n,) for the eigenvalues and (n, n) for the eigenvectors."""
        n = shapes[0][0]
        return [(n,), (n, n)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """EighGrad, with zeros for an output whose gradient is disconnected."""
        return [EighGrad(self.UPLO)(inputs[0], *outputs, *zero_disconnected(outputs, cotangents))]


def zero_disconnected(outputs: Any, cotangents: Any) -> List[Any]:
    """Returns `cotangents` with each disconnected one replaced by zeros of the output's shape."""
    from pytensor.gradient import DisconnectedType

    return [o.zeros_like() if isinstance(g.type, DisconnectedType) else g for o, g in zip(outputs, cotangents)]


class CholeskyGrad(LegacyOp):
    """Gradient of a matrix from the gradient of its Cholesky factor."""

    __props__ = ("lower", "destructive")

    def __init__(self, lower: bool = True) -> None:
        self.lower = lower
        self.destructive = False

    def make_node(self, x: Any, l: Any, dz: Any) -> Apply:  # noqa: E741
        """Makes the Apply node for the matrix x, its factor l and the factor's gradient dz. Raises AssertionError unless all are
        matrices.
        """
        inputs = _matrices(x, l, dz)
        return Apply(self, inputs, [inputs[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """L^-T phi(L' dL) L^-1, where phi keeps the lower triangle and halves the diagonal, folded onto one triangle."""
        from scipy.linalg import solve_triangular

        L, dL = (inputs[1], np.tril(inputs[2])) if self.lower else (inputs[1].T, np.triu(inputs[2]).T)
        middle = np.tril(L.T @ dL)
        middle[np.diag_indices_from(middle)] /= 2
        left = solve_triangular(L, middle.T, trans="T", lower=True).T
        g = solve_triangular(L, left, trans="T", lower=True)
        both = np.tril(g) + np.triu(g, 1).T
        output_storage[0][0] = np.asarray(both if self.lower else both.T, dtype=node.outputs[0].dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the matrix."""
        return [shapes[0]]


class Cholesky(LegacyOp):
    """L of x = L L', or U of x = U' U if `lower` is False.

    For a matrix that is not positive definite, `on_error="nan"` returns NaNs and "raise" raises LinAlgError.
    """

    __props__ = ("lower", "destructive", "on_error")

    def __init__(self, lower: bool = True, on_error: str = "raise") -> None:
        self.lower = lower
        self.destructive = False
        if on_error not in ("raise", "nan"):
            raise ValueError('on_error must be one of "raise" or ""nan"')
        self.on_error = on_error

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a matrix. Raises AssertionError for another rank."""
        (x,) = _matrices(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls scipy.linalg.cholesky."""
        import scipy.linalg

        try:
            output_storage[0][0] = scipy.linalg.cholesky(inputs[0], lower=self.lower).astype(inputs[0].dtype)
        except scipy.linalg.LinAlgError:
            if self.on_error == "raise":
                raise
            output_storage[0][0] = np.full(inputs[0].shape, np.nan, dtype=node.outputs[0].dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the matrix."""
        return [shapes[0]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Triangular solves (Murray 2016) written as a graph; with `on_error="nan"`, NaN where the factorisation failed."""
        chol, dz = outputs[0], cotangents[0]
        if self.on_error == "nan":
            ok = pt.invert(pt.any(pt.isnan(chol)))
            chol = pt.switch(ok, chol, 1)
            dz = pt.switch(ok, dz, 1)
        if not self.lower:
            chol, dz = chol.T, dz.T
        inner = pt.tril(chol.T.dot(dz))
        inner = inner - pt.diag(pt.diagonal(inner) / 2.0)
        outer = Solve("upper_triangular")

        def conjugate(m: Any) -> Any:
            return outer(chol.T, outer(chol.T, m.T).T)

        s = conjugate(inner)
        g = pt.tril(s + s.T) - pt.diag(pt.diagonal(s))
        if not self.lower:
            g = g.T
        return [pt.switch(ok, g, np.nan) if self.on_error == "nan" else g]


class EigvalshGrad(LegacyOp):
    """Gradients of `a` and `b` from the gradient of their generalised eigenvalues."""

    __props__ = ("lower",)

    def __init__(self, lower: bool = True) -> None:
        assert lower in (True, False)
        self.lower = lower

    def make_node(self, a: Any, b: Any, gw: Any) -> Apply:
        """Makes the Apply node for the matrices `a` and `b` and the eigenvalues' gradient `gw`."""
        a, b = _matrices(a, b)
        gw = pt.as_tensor_variable(gw)
        assert gw.ndim == 1
        dtype = ps.upcast(a.dtype, b.dtype, gw.dtype)
        return Apply(self, [a, b, gw], [_matrix(dtype), _matrix(dtype)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """v diag(gw) v' for `a` and -v diag(gw w) v' for `b`, folded onto the triangle that is used."""
        import scipy.linalg

        a, b, gw = inputs
        w, v = scipy.linalg.eigh(a, b, lower=self.lower)
        for storage, weights, output in zip(output_storage, (gw, -gw * w), node.outputs):
            storage[0] = np.asarray(_Half(self.lower)(v @ np.diag(weights) @ v.T), dtype=output.dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shapes of the two matrices."""
        return [shapes[0], shapes[1]]


class Eigvalsh(LegacyOp):
    """Generalised eigenvalues of a symmetric matrix `a` with respect to `b`, or its eigenvalues where `b` is None."""

    __props__ = ("lower",)

    def __init__(self, lower: bool = True) -> None:
        assert lower in (True, False)
        self.lower = lower

    def make_node(self, a: Any, b: Any) -> Apply:
        """Makes the Apply node for `a`, and for `b` unless it is None."""
        (a,) = _matrices(a)
        if b is None or getattr(b, "data", 0) is None:
            return Apply(self, [a], [TensorType("float64", (False,))()])
        (b,) = _matrices(b)
        return Apply(self, [a, b], [TensorType(ps.upcast(a.dtype, b.dtype), (False,))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls scipy.linalg.eigvalsh."""
        import scipy.linalg

        second = inputs[1] if len(inputs) == 2 else None
        output_storage[0][0] = np.asarray(scipy.linalg.eigvalsh(inputs[0], second, lower=self.lower), dtype=node.outputs[0].dtype)

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """(n,) for an n x n matrix."""
        return [(shapes[0][0],)]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """EigvalshGrad, with the identity matrix if `b` was not given."""
        second = inputs[1] if len(inputs) == 2 else pt.eye(inputs[0].shape[0], dtype=inputs[0].dtype)
        return list(EigvalshGrad(self.lower)(inputs[0], second, cotangents[0]))[: len(inputs)]


def eigvalsh(a: Any, b: Any, lower: bool = True) -> Any:
    """Returns the generalised eigenvalues of the symmetric matrix `a` with respect to `b`, which may be None."""
    return Eigvalsh(lower)(a, b)


def kron(a: Any, b: Any) -> Any:
    """Returns the Kronecker product of `a` and `b`. Raises TypeError if their ranks add up to less than 3."""
    a, b = pt.as_tensor_variable(a), pt.as_tensor_variable(b)
    if a.ndim + b.ndim <= 2:
        raise TypeError(f"kron: inputs dimensions must sum to 3 or more. You passed {a.ndim} and {b.ndim}.")
    o = pt.outer(a, b).reshape(pt.concatenate((a.shape, b.shape)), ndim=a.ndim + b.ndim)
    if o.ndim == 3:
        return pt.flatten(o.dimshuffle(1, 0, 2))
    turned = o.dimshuffle(0, 2, 1, *range(3, o.ndim))
    return turned.reshape((o.shape[0] * o.shape[2], o.shape[1] * o.shape[3], *(o.shape[i] for i in range(4, o.ndim))))


class AllocDiag(LegacyOp):
    """Square matrix with a vector on its diagonal and zeros elsewhere."""

    __props__ = ()

    def make_node(self, _x: Any) -> Apply:
        """Makes the Apply node for a vector. Raises TypeError for another rank."""
        x = pt.as_tensor_variable(_x)
        if x.type.ndim != 1:
            raise TypeError("AllocDiag only works on vectors", _x)
        return Apply(self, [x], [_matrix(x.type.dtype)])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.diag."""
        output_storage[0][0] = np.diag(inputs[0])

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns (n, n) for a vector of length n."""
        return [(shapes[0][0],) * 2]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the diagonal of the output's gradient."""
        return [pt.diagonal(cotangents[0])]


def psd(v: Any) -> Any:
    """Returns `v` unchanged: in Theano, the hint "symmetric and positive semi-definite" selected faster Ops with the same result."""
    return pt.as_tensor_variable(v)


cholesky = Cholesky()
solve = Solve()
solve_lower_triangular = Solve(A_structure="lower_triangular", lower=True)
solve_upper_triangular = Solve(A_structure="upper_triangular", lower=False)
solve_symmetric = Solve(A_structure="symmetric")
expm = Expm()
