"""Adapters for functions of `theano.tensor.basic` that take other arguments today (Theano 1.0.5)."""

from typing import Optional, Sequence

from ..framework import current

__all__ = ["default", "extract_constant", "flatten", "max_pool_2d", "patternbroadcast", "stack"]


def stack(*tensors: object, axis: int = 0) -> object:
    """`stack([a, b], axis)`, or the older `stack(a, b)`."""
    if len(tensors) == 2 and isinstance(tensors[0], (list, tuple)) and isinstance(tensors[1], int):
        return current.tensor.stack(tensors[0], axis=tensors[1])
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return current.tensor.stack(tensors[0], axis=axis)
    if len(tensors) == 1:
        return current.tensor.stack([row for row in tensors[0]], axis=axis)  # type: ignore[attr-defined]
    return current.tensor.stack(list(tensors), axis=0)


def flatten(x: object, ndim: Optional[int] = None, outdim: Optional[int] = None) -> object:
    """`x` with its first ndim - 1 dimensions kept and the others flattened; `outdim` is the older name of `ndim`. ValueError for both."""
    if ndim is not None and outdim is not None:
        raise ValueError("You should only specify ndim")
    return current.tensor.as_tensor_variable(x).flatten(ndim or outdim or 1)


def patternbroadcast(x: object, broadcastable: Sequence[bool]) -> object:
    """`x` with length 1 declared for the flagged dimensions; the others stay as they are, a static shape cannot be withdrawn."""
    axes = [axis for axis, flag in enumerate(broadcastable) if flag]
    return current.module("tensor.shape").specify_broadcastable(x, *axes) if axes else current.tensor.as_tensor_variable(x)


def default(x: object, default: object) -> object:
    """`x` as a tensor, or `default` where x is None."""
    return current.tensor.as_tensor_variable(default if x is None else x)


def extract_constant(x: object, elemwise: bool = True, only_process_constants: bool = False) -> object:
    """Value of a Variable whose elements are one known constant, else the Variable itself."""
    basic = current.module("tensor.basic")
    find = getattr(basic, "get_underlying_scalar_constant_value", None) or basic.get_scalar_constant_value
    try:
        return find(x, elemwise=elemwise, only_process_constants=only_process_constants)
    except basic.NotScalarConstantError:
        return x


def max_pool_2d(
    input: object, ds: object, ignore_border: Optional[bool] = None, st: object = None, padding: object = (0, 0), mode: str = "max"
) -> object:
    """`theano.tensor.signal.downsample.max_pool_2d`, by the framework's pool_2d."""
    return current.module("tensor.signal.pool").pool_2d(input, ws=ds, ignore_border=bool(ignore_border), stride=st, pad=padding, mode=mode)
