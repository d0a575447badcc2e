"""BLAS products as in pygpu/blas.pyx 0.7.6, computed on the host. Theano calls `gemm` once when it opens a device."""

import numpy

from .gpuarray import GpuArray, array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


def write_result(values: "Live", like: GpuArray, out: "GpuArray | None", overwrite: bool) -> GpuArray:
    """Writes `values` into `out` if given and `overwrite` is true, else into a new array. Returns the array written."""
    if out is None or not overwrite:
        return array(values.astype(like.dtype), context=like.context)
    out[...] = values
    return out


def added_term(beta: float, old: "GpuArray | None") -> "Live":
    """The term `beta * old` of a product; 0 without an old value."""
    return 0 if old is None or beta == 0 else beta * numpy.asarray(old)


def as_matrix(a: GpuArray, transposed: bool) -> "Live":
    """A matrix as a numpy array, transposed if `transposed`."""
    return numpy.asarray(a).T if transposed else numpy.asarray(a)


def dot(X: GpuArray, Y: GpuArray, Z: "GpuArray | None" = None, overwrite_z: bool = False) -> GpuArray:  # noqa: N803
    """The dot product of two vectors."""
    return write_result(numpy.dot(numpy.asarray(X), numpy.asarray(Y)), X, Z, overwrite_z)


def gemv(
    alpha: float, A: GpuArray, X: GpuArray, beta: float = 0.0, Y: "GpuArray | None" = None,  # noqa: N803
    trans_a: bool = False, overwrite_y: bool = False,
) -> GpuArray:  # fmt: skip
    """alpha * A X + beta * Y (matrix times vector)."""
    return write_result(alpha * numpy.dot(as_matrix(A, trans_a), numpy.asarray(X)) + added_term(beta, Y), A, Y, overwrite_y)


def gemm(
    alpha: float, A: GpuArray, B: GpuArray, beta: float = 0.0, C: "GpuArray | None" = None,  # noqa: N803
    trans_a: bool = False, trans_b: bool = False, overwrite_c: bool = False,
) -> GpuArray:  # fmt: skip
    """alpha * A B + beta * C (matrix times matrix)."""
    return write_result(alpha * numpy.dot(as_matrix(A, trans_a), as_matrix(B, trans_b)) + added_term(beta, C), A, C, overwrite_c)


def ger(alpha: float, X: GpuArray, Y: GpuArray, A: "GpuArray | None" = None, overwrite_a: bool = False) -> GpuArray:  # noqa: N803
    """alpha * X Y' + A (outer product of two vectors)."""
    return write_result(alpha * numpy.outer(numpy.asarray(X), numpy.asarray(Y)) + added_term(1, A), X, A, overwrite_a)
