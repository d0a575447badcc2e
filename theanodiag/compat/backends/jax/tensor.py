"""JAX conversions of this layer's tensor Ops: sorting, top-k, repetition, broadcast flags, linear algebra, scalar functions."""

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from pytensor.link.jax.dispatch import jax_funcify

from ...ops.arrays import MaxAndArgmax, Mean, Rebroadcast, Tile, Tri
from ...ops.extra_ops import DiffOp, RepeatOp
from ...ops.linalg import AllocDiag, Cholesky, Eig, Eigh, QRFull, QRIncomplete, Solve
from ...ops.scalars import Chi2SF, XlogX, XlogY0
from ...ops.sorting import ArgSortOp, SortOp, TopKOp
from .base import lengths


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


@jax_funcify.register(Tri)
def _tri(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda n, m, k: jnp.tri(_number(n, "tri"), _number(m, "tri"), _number(k, "tri"), dtype=op.dtype)


@jax_funcify.register(Solve)
def _solve(op: Any, node: Any = None, **kwargs: Any) -> Callable[..., Any]:
    dtype = node.outputs[0].type.dtype
    if op.A_structure in ("lower_triangular", "upper_triangular"):
        lower = op.A_structure == "lower_triangular"
        return lambda A, b: jax.scipy.linalg.solve_triangular(A, b, lower=lower).astype(dtype)
    return lambda A, b: jnp.linalg.solve(A.astype(dtype), b.astype(dtype))


@jax_funcify.register(Cholesky)
def _cholesky(op: Any, **kwargs: Any) -> Callable[..., Any]:
    return lambda x: jax.scipy.linalg.cholesky(x, lower=op.lower)


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
