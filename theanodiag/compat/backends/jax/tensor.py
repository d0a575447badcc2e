"""JAX conversions of this layer's tensor Ops: sorting, top-k, repetition, broadcast flags, linear algebra, scalar functions."""

import itertools
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytensor.scalar as ps
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.tensor.basic import Split
from pytensor.tensor.blas import BatchedDot
from pytensor.tensor.extra_ops import SearchsortedOp
from pytensor.tensor.linalg import MatrixInverse
from pytensor.tensor.math import Dot

from ...ops.arrays import MaxAndArgmax, Mean, Rebroadcast, Tile, Tri
from ...ops.extra_ops import DiffOp, RepeatOp
from ...ops.linalg import AllocDiag, Cholesky, Eig, Eigh, QRFull, QRIncomplete, Solve
from ...ops.scalars import Chi2SF, XlogX, XlogY0
from ...ops.sorting import ArgSortOp, SortOp, TopKOp
from .base import known, lengths, symbolic
from .conditions import require


def _number(value: Any, what: str) -> int:
    """`value` as an int. Raises NotImplementedError, naming `what`, if it is unknown when JAX compiles."""
    return lengths(value, what)[0]


@jax_funcify.register(Rebroadcast)
def _rebroadcast(op: Any, **kwargs: Any) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        for axis, flag in op.pattern:
            if flag and x.shape[axis] != 1:
                raise ValueError(f"Dimension {axis} in Rebroadcast's input was supposed to be 1 (got {x.shape[axis]} instead)")
        return x

    return run


@jax_funcify.register(TopKOp)
def _topk(op: Any, **kwargs: Any) -> Callable[..., Any]:
    def run(x: Any, k: Any) -> Any:
        count = _number(k, "topk")
        if count == 0:
            raise ValueError("topk: kth cannot be zero")
        if abs(count) > x.shape[op.axis]:
            raise ValueError(f"topk: kth cannot be larger than the size of specified axis {op.axis % x.ndim}")
        order = jnp.argsort(x, axis=op.axis)
        part = [slice(None)] * x.ndim
        part[op.axis] = slice(-count, None) if count > 0 else slice(-count)
        places = order[tuple(part)]
        outputs = [jnp.take_along_axis(x, places, op.axis)] if op.return_values else []
        outputs += [places.astype(op.idx_dtype)] if op.return_indices else []
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    return run


@jax_funcify.register(SortOp)
def _sort(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, axis: jnp.sort(x, axis=_number(axis, "sort"))


@jax_funcify.register(ArgSortOp)
def _argsort(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, axis: jnp.argsort(x, axis=_number(axis, "argsort")).astype("int64")


@jax_funcify.register(MaxAndArgmax)
def _max_and_argmax(op: Any, **kwargs: Any) -> Callable[..., Any]:
    def run(x: Any) -> Any:
        kept = [i for i in range(x.ndim) if i not in op.axis]
        turned = x.transpose(kept + list(op.axis))
        flat = turned.reshape((*turned.shape[: len(kept)], int(np.prod(turned.shape[len(kept) :]))))
        return flat.max(axis=-1), flat.argmax(axis=-1).astype("int64")

    return run


@jax_funcify.register(Mean)
def _mean(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: jnp.mean(x, axis=op.axis, dtype="float64")


@jax_funcify.register(DiffOp)
def _diff(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: jnp.diff(x, n=op.n, axis=op.axis)


@jax_funcify.register(RepeatOp)
def _repeat(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, repeats: jnp.repeat(x, np.array(lengths(repeats, "repeat")).reshape(np.shape(repeats)), axis=op.axis)


@jax_funcify.register(Tile)
def _tile(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, reps: jnp.tile(x, lengths(reps, "tile"))


@jax_funcify.register(Split)
def _split(op: Any, **kwargs: Any) -> Callable[..., Any]:
    """Parts whose lengths are known when JAX compiles; PyTensor takes only constants, and not what is computed from shapes."""

    def split(x: Any, *rest: Any) -> Any:
        axis = op.axis if len(rest) == 1 else _number(rest[0], "split")  # an input until PyTensor 3.2
        parts = lengths(rest[-1], "split")
        if len(parts) != op.len_splits:
            raise ValueError("Length of splits is not equal to n_splits")
        whole = (*parts, x.shape[axis])
        if not any(map(symbolic, whole)) and (sum(parts) != x.shape[axis] or min(parts) < 0):
            raise ValueError(f"Split sizes {parts} do not sum up to the length {x.shape[axis]} of axis {axis}, or are negative")
        ends = list(itertools.accumulate(parts))
        return [jax.lax.slice_in_dim(x, end - length, end, axis=axis) for end, length in zip(ends, parts)]

    return split


@jax_funcify.register(Tri)
def _tri(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda n, m, k: jnp.tri(_number(n, "tri"), _number(m, "tri"), _number(k, "tri"), dtype=op.dtype)


def _no_zero_divisor(name: str) -> Callable[..., Exception]:
    return lambda: ZeroDivisionError(f"integer {name} by zero")


_DIVISIONS = {ps.IntDiv: (_no_zero_divisor("division"), jnp.floor_divide), ps.Mod: (_no_zero_divisor("modulo"), jnp.mod)}


def _division(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
    """Integers divided by 0 are an error, as in C; XLA gives some number."""
    error, divide = _DIVISIONS[type(op)]
    whole = np.dtype(node.outputs[0].type.dtype).kind in "iu"

    def run(x: Any, y: Any) -> Any:
        if whole:
            require(np.all(np.not_equal(y, 0)) if known(y) else jnp.all(y != 0), error)
        return divide(x, y)

    return run


for _kind in _DIVISIONS:
    jax_funcify.register(_kind, _division)


@jax_funcify.register(ps.Pow)
def _power(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
    """Powers; an integer to a negative power is the truncated quotient, as in C."""
    dtype = np.dtype(node.outputs[0].type.dtype)

    def run(x: Any, y: Any) -> Any:
        if dtype.kind != "i" or (known(y) and np.all(np.asarray(y) >= 0)):
            return jnp.power(x, y)
        sign = jnp.where(jnp.abs(x) == 1, jnp.where(y % 2 == 0, 1, x), 0)
        inverse = jnp.where(x == 0, np.iinfo(dtype).min if dtype.itemsize > 2 else 0, sign)
        return jnp.where(y < 0, inverse, jnp.power(x, jnp.maximum(y, 0)))

    return run


def _product(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A product of matrices computed in the type of its output, as in C; JAX computes int64 with float32 in float32."""

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
        product = plain(op, node=node, **kwargs)
        dtype = node.outputs[0].type.dtype
        return lambda *factors: product(*(jnp.asarray(factor).astype(dtype) for factor in factors))

    return converted


for _kind in (Dot, BatchedDot):
    jax_funcify.register(_kind, _product(jax_funcify.dispatch(_kind)))


@jax_funcify.register(SearchsortedOp)
def _searchsorted(op: Any, **kwargs: Any) -> Callable[..., Any]:
    """Positions in sorted numbers; PyTensor passes `sorter` as the side."""
    return lambda x, values, sorter=None: jnp.searchsorted(x, values, side=op.side, sorter=sorter)


def _singular() -> Exception:
    return np.linalg.LinAlgError("Singular matrix")


def _not_definite() -> Exception:
    return np.linalg.LinAlgError("the matrix is not positive definite")


def _regular(result: Any, matrix: Any) -> Any:
    """`result`, which is not finite if the finite `matrix` is singular. That raises LinAlgError, as in numpy."""
    require(jnp.all(jnp.isfinite(result)) | ~jnp.all(jnp.isfinite(matrix)), _singular)
    return result


def _not_finite() -> Exception:
    return ValueError("array must not contain infs or NaNs")


def _require_finite(*given: Any) -> None:
    """Raises ValueError for NaN and infinity, as SciPy does (scipy/linalg: `check_finite`)."""
    require(jnp.all(jnp.array([jnp.all(jnp.isfinite(x)) for x in given])), _not_finite)


@jax_funcify.register(MatrixInverse)
def _matrix_inverse(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: _regular(jnp.linalg.inv(x), x)


@jax_funcify.register(Solve)
def _solve(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
    dtype = node.outputs[0].type.dtype

    def solve(A: Any, b: Any) -> Any:
        _require_finite(A, b)
        return _regular(jnp.linalg.solve(A.astype(dtype), b.astype(dtype)), A)

    def substitute(A: Any, b: Any) -> Any:
        _require_finite(A, b)
        require(jnp.all(jnp.diagonal(A) != 0), _singular)
        return jax.scipy.linalg.solve_triangular(A, b, lower=op.A_structure == "lower_triangular").astype(dtype)

    return substitute if op.A_structure in ("lower_triangular", "upper_triangular") else solve


@jax_funcify.register(Cholesky)
def _cholesky(op: Any, **kwargs: Any) -> Callable[..., Any]:
    def cholesky(x: Any) -> Any:
        factor = jax.scipy.linalg.cholesky(x, lower=op.lower)
        found = ~jnp.any(jnp.isnan(factor))
        if op.on_error == "raise":
            require(found, _not_definite)
        return jnp.where(found, factor, jnp.nan)

    return cholesky


@jax_funcify.register(Eig)
def _eig(op: Any, node: Any = None, **kwargs: Any) -> Any:
    dtype = node.outputs[0].dtype

    def eig(x: Any) -> Any:
        return tuple((part if "complex" in dtype else part.real).astype(dtype) for part in jnp.linalg.eig(x))

    return eig


@jax_funcify.register(Eigh)
def _eigh(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: tuple(jnp.linalg.eigh(x, UPLO=op.UPLO, symmetrize_input=False))


@jax_funcify.register(QRFull)
def _qr_full(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: tuple(jnp.linalg.qr(x, mode=op.mode))


@jax_funcify.register(QRIncomplete)
def _qr_incomplete(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: jnp.linalg.qr(x, mode="r")


@jax_funcify.register(AllocDiag)
def _alloc_diag(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return jnp.diag


@jax_funcify.register(XlogX)
def _xlogx(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: jnp.where(x == 0, 0.0, x * jnp.log(jnp.where(x == 0, 1.0, x)))


@jax_funcify.register(XlogY0)
def _xlogy0(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, y: jnp.where(x == 0, 0.0, x * jnp.log(jnp.where(x == 0, 1.0, y)))


@jax_funcify.register(Chi2SF)
def _chi2sf(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x, k: jax.scipy.special.gammaincc(k / 2.0, x / 2.0)
