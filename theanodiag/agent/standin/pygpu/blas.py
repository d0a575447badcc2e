"""BLAS products: pygpu/blas.pyx 0.7.6, computed on the host. Theano calls `gemm` once when it opens a device."""

import numpy

from .arrays import GpuArray, array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


def stored(values: "Live", like: GpuArray, out: "GpuArray | None", overwrite: bool) -> GpuArray:
    """The values written into `out` where it may be overwritten, else in a new array."""
    if out is None or not overwrite:
        return array(values.astype(like.dtype), context=like.context)
    out[...] = values
    return out


def scaled(beta: float, old: "GpuArray | None") -> "Live":
    """The term `beta * old` that is added to a product; 0 without an old value."""
    return 0 if old is None or beta == 0 else beta * numpy.asarray(old)


def turned(a: GpuArray, transposed: bool) -> "Live":
    """A matrix as a numpy array, transposed if asked."""
    return numpy.asarray(a).T if transposed else numpy.asarray(a)


def dot(X: GpuArray, Y: GpuArray, Z: "GpuArray | None" = None, overwrite_z: bool = False) -> GpuArray:  # noqa: N803
    """The dot product of two vectors."""
    return stored(numpy.dot(numpy.asarray(X), numpy.asarray(Y)), X, Z, overwrite_z)


def gemv(
    alpha: float, A: GpuArray, X: GpuArray, beta: float = 0.0, Y: "GpuArray | None" = None,  # noqa: N803
    trans_a: bool = False, overwrite_y: bool = False,
) -> GpuArray:  # fmt: skip
    """alpha * A X + beta * Y."""
    return stored(alpha * numpy.dot(turned(A, trans_a), numpy.asarray(X)) + scaled(beta, Y), A, Y, overwrite_y)


def gemm(
    alpha: float, A: GpuArray, B: GpuArray, beta: float = 0.0, C: "GpuArray | None" = None,  # noqa: N803
    trans_a: bool = False, trans_b: bool = False, overwrite_c: bool = False,
) -> GpuArray:  # fmt: skip
    """alpha * A B + beta * C."""
    return stored(alpha * numpy.dot(turned(A, trans_a), turned(B, trans_b)) + scaled(beta, C), A, C, overwrite_c)


def ger(alpha: float, X: GpuArray, Y: GpuArray, A: "GpuArray | None" = None, overwrite_a: bool = False) -> GpuArray:  # noqa: N803
    """alpha * X Y' + A."""
    return stored(alpha * numpy.outer(numpy.asarray(X), numpy.asarray(Y)) + scaled(1, A), X, A, overwrite_a)
