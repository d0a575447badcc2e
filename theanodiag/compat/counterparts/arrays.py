"""theano.tensor: functions whose arguments are other ones today (Theano 1.0.5, theano/tensor/basic.py)."""

from typing import Optional, Sequence

from ..target import current

__all__ = [
    "argtopk", "batched_dot", "col", "default", "extract_constant", "flatten", "matrix", "max_pool_2d", "patternbroadcast", "row", "scalar",
    "stack", "tensor", "tensor3", "tensor4", "tensor5", "tile", "topk", "unbroadcast", "vector",
]  # fmt: skip


def tensor(dtype: str, broadcastable: Sequence[bool] = (), name: Optional[str] = None) -> object:
    """A Variable of the given dtype and broadcast pattern."""
    return current.tensor.TensorType(dtype, [1 if flag else None for flag in broadcastable])(name=name)


def _variable(pattern: Sequence[bool], name: Optional[str], dtype: Optional[str]) -> object:
    """A Variable of the default or given dtype."""
    return tensor(dtype or current.module().config.floatX, pattern, name)


def scalar(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with no dimension."""
    return _variable((), name, dtype)


def vector(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with 1 dimension."""
    return _variable((False,), name, dtype)


def row(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A matrix of one row."""
    return _variable((True, False), name, dtype)


def col(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A matrix of one column."""
    return _variable((False, True), name, dtype)


def matrix(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with 2 dimensions."""
    return _variable((False,) * 2, name, dtype)


def tensor3(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with 3 dimensions."""
    return _variable((False,) * 3, name, dtype)


def tensor4(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with 4 dimensions."""
    return _variable((False,) * 4, name, dtype)


def tensor5(name: Optional[str] = None, dtype: Optional[str] = None) -> object:
    """A Variable with 5 dimensions."""
    return _variable((False,) * 5, name, dtype)


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
    """The first ndim - 1 dimensions are kept (`outdim` is the older name of `ndim`)."""
    if ndim is not None and outdim is not None:
        raise ValueError("You should only specify ndim")
    return current.tensor.as_tensor_variable(x).flatten(ndim or outdim or 1)


def tile(x: object, reps: object, ndim: Optional[int] = None) -> object:
    """`ndim` pads `reps` with ones on the left."""
    if ndim is not None and isinstance(reps, (list, tuple)):
        if ndim < len(reps):
            raise ValueError("len(reps) should be equal or less than ndim")
        reps = [1] * (ndim - len(reps)) + list(reps)
    return current.tensor.tile(x, reps)


def patternbroadcast(x: object, broadcastable: Sequence[bool]) -> object:
    """Marks the dimensions that are known to be 1; there is nothing to unmark in a static shape."""
    axes = [axis for axis, flag in enumerate(broadcastable) if flag]
    return current.module("tensor.shape").specify_broadcastable(x, *axes) if axes else current.tensor.as_tensor_variable(x)


def unbroadcast(x: object, *axes: int) -> object:
    """`x`: a static shape of 1 does not keep it from being used as any other."""
    return current.tensor.as_tensor_variable(x)


def default(x: object, default: object) -> object:
    """`x`, or `default` where x is None."""
    return current.tensor.as_tensor_variable(default if x is None else x)


def extract_constant(x: object, elemwise: bool = True, only_process_constants: bool = False) -> object:
    """The value of a scalar that is constant; else the Variable."""
    basic = current.module("tensor.basic")
    find = getattr(basic, "get_underlying_scalar_constant_value", None) or basic.get_scalar_constant_value
    try:
        return find(x, elemwise=elemwise, only_process_constants=only_process_constants)
    except basic.NotScalarConstantError:
        return x


def batched_dot(a: object, b: object) -> object:
    """The dot of each pair along the first dimension."""
    native = getattr(current.tensor, "batched_dot", None)
    if native is not None:
        return native(a, b)
    t = current.tensor
    left, right = t.as_tensor_variable(a), t.as_tensor_variable(b)
    if left.ndim == 1 or right.ndim == 1:  # one number for each element of the other
        left, right = (v.dimshuffle(0, *["x"] * (max(left.ndim, right.ndim) - 1)) if v.ndim == 1 else v for v in (left, right))
        return left * right
    out = t.matmul(left[:, None, :] if left.ndim == 2 else left, right[:, :, None] if right.ndim == 2 else right)
    out = out[:, 0] if left.ndim == 2 else out
    return out[..., 0] if right.ndim == 2 else out


def _last(x: object, kth: int, axis: int) -> object:
    """The `kth` largest along `axis` of something sorted upwards; the smallest for a negative `kth`."""
    values = current.tensor.as_tensor_variable(x)
    cut = [slice(None)] * values.ndim
    cut[axis] = slice(-kth, None) if kth > 0 else slice(None, -kth)
    return values[tuple(cut)]


def topk(x: object, kth: int, axis: int = -1, sorted: bool = True, idx_dtype: str = "int64") -> object:
    """The `kth` largest elements along `axis`."""
    return _last(current.tensor.sort(x, axis), kth, axis)


def argtopk(x: object, kth: int, axis: int = -1, sorted: bool = True, idx_dtype: str = "int64") -> object:
    """Where the `kth` largest elements along `axis` are."""
    return current.tensor.cast(_last(current.tensor.argsort(x, axis), kth, axis), idx_dtype)


def max_pool_2d(
    input: object, ds: object, ignore_border: Optional[bool] = None, st: object = None, padding: object = (0, 0), mode: str = "max"
) -> object:
    """`theano.tensor.signal.downsample.max_pool_2d`, where there is pooling."""
    return current.module("tensor.signal.pool").pool_2d(input, ws=ds, ignore_border=bool(ignore_border), stride=st, pad=padding, mode=mode)
