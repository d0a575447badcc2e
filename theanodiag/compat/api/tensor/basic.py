"""Serves `theano.tensor.basic`: names that have other arguments or another meaning in PyTensor, or were removed there."""

import builtins
import importlib
import sys
import warnings
from typing import Any, Callable, List, Optional, Sequence

import numpy as np
import pytensor
import pytensor.scalar as ps
import pytensor.tensor as pt
from pytensor.gradient import numeric_grad  # noqa: F401
from pytensor.graph.basic import Apply, Variable  # noqa: F401
from pytensor.raise_op import Assert
from pytensor.tensor.basic import Join  # noqa: F401
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise  # noqa: F401
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import Argmax, Sum, isinf_, isnan_, makeKeepDims, mod_check  # noqa: F401
from pytensor.tensor.random.utils import RandomStream  # noqa: F401
from pytensor.tensor.type import TensorType
from pytensor.tensor.variable import TensorConstant, TensorConstantSignature, TensorVariable, _tensor_py_operators  # noqa: F401

from ...ops.arrays import Default, MaxAndArgmax, Mean, Rebroadcast, Tile, Tri, concatenate, join, rebroadcast  # noqa: F401  # noqa: F401
from ...ops.extra_ops import PermuteRowElements, permute_row_elements  # noqa: F401
from ...ops.op import OpInstanceCheck
from ...ops.scalars import chi2sf as _chi2sf
from ...ops.scalars import iv as _iv

python_complex, python_any, python_all = complex, any, all
AsTensorError = TypeError
"""Theano's error for values that cannot become tensors; PyTensor raises TypeError itself."""
complex_dtypes = list(map(str, ps.complex_types))
continuous_dtypes = list(map(str, ps.continuous_types))
float_dtypes = list(map(str, ps.float_types))
integer_dtypes = list(map(str, ps.integer_types))
discrete_dtypes = list(map(str, ps.discrete_types))
all_dtypes = list(map(str, ps.all_types))
int_dtypes = list(map(str, ps.int_types))
uint_dtypes = list(map(str, ps.uint_types))
int32_t = int32 = ps.int32
numpy_diagonal_return_view = True
default = Default()
chi2sf, iv = (Elemwise(op, name="Elemwise{" + op.name + ",no_inplace}") for op in (_chi2sf, _iv))
sgn = pt.sign
conj = Elemwise(ps.conj, name="Elemwise{conj,no_inplace}")
abs_ = pt.abs
inv = pt.reciprocal
float16_atol = float16_rtol = 1e-3
float32_atol = float32_rtol = 1e-5
float64_rtol, float64_atol = 1.0000000000000001e-05, 1e-8


class ShapeError(Exception):
    """Raised if a shape cannot be computed."""


class EmptyConstantError(NotScalarConstantError):
    """Raised if a scalar value is requested of a constant without elements."""


def _tolerance(name: str) -> float:
    """The tolerance `name`, including a value that the script assigned: `theano.tensor.basic.float32_atol = 1e-3`."""
    alias = sys.modules.get("theano.tensor.basic")
    return float(vars(alias).get(name, globals()[name]) if alias is not None else globals()[name])


def _get_atol_rtol(a: Any, b: Any) -> Any:
    kinds = {str(a.dtype), str(b.dtype)}
    name = "float16" if "float16" in kinds else "float32" if kinds & {"float32", "complex64"} else "float64"
    return _tolerance(name + "_atol"), _tolerance(name + "_rtol")


def _allclose(a: Any, b: Any, rtol: Optional[float] = None, atol: Optional[float] = None) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    found_atol, found_rtol = _get_atol_rtol(a, b)
    return bool(np.allclose(a, b, atol=found_atol if atol is None else atol, rtol=found_rtol if rtol is None else rtol))


def check_equal_numpy(x: Any, y: Any) -> Any:
    """Returns whether two values are equal. Arrays are equal if dtype and shape are the same, and all elements agree to 1e-10."""
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return x.dtype == y.dtype and x.shape == y.shape and np.all(abs(x - y) < 1e-10)
    if isinstance(x, np.random.RandomState) and isinstance(y, np.random.RandomState):
        return builtins.all(np.all(a == b) for a, b in zip(x.__getstate__(), y.__getstate__()))
    return x == y


def constructor(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `f` itself; Theano's decorator added it to the documentation."""
    return f


def Tensor(*inputs: Any, **kwargs: Any) -> Any:
    """`TensorType(...)`."""
    return TensorType(*inputs, **kwargs)


def tensor(*args: Any, **kwargs: Any) -> Any:
    """Returns a Variable of the type `TensorType(*args, **kwargs)`; the keyword `name` names it."""
    name = kwargs.pop("name", None)
    return TensorType(*args, **kwargs)(name=name)


def _variable(flags: Sequence[bool], name: Optional[str], dtype: Optional[str]) -> Any:
    return TensorType(dtype or pytensor.config.floatX, tuple(flags))(name=name)


def scalar(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 0-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((), name, dtype)


def vector(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 1-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,), name, dtype)


def matrix(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 2-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 2, name, dtype)


def row(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a matrix Variable of one row; `dtype` defaults to floatX."""
    return _variable((True, False), name, dtype)


def col(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a matrix Variable of one column; `dtype` defaults to floatX."""
    return _variable((False, True), name, dtype)


def tensor3(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 3-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 3, name, dtype)


def tensor4(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 4-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 4, name, dtype)


def tensor5(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 5-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 5, name, dtype)


def tensor6(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 6-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 6, name, dtype)


def tensor7(name: Optional[str] = None, dtype: Optional[str] = None) -> Any:
    """Returns a 7-dimensional Variable; `dtype` defaults to floatX."""
    return _variable((False,) * 7, name, dtype)


def numpy_scalar(data: Any) -> Any:
    """Converts an array of one number to a 0-dimensional one.

    Raises EmptyConstantError if it has no element, NotScalarConstantError if it has several or is not numeric.
    """
    if data.ndim > 0 and data.size == 0:
        raise EmptyConstantError()
    try:
        np.complex128(data if data.ndim == 0 else data.item())
    except Exception as error:
        raise NotScalarConstantError("v.data is non-numeric, non-scalar, or has more than one unique value", data) from error
    return data.reshape(()) if data.ndim else data


def get_scalar_constant_value(orig_v: Any, elemwise: bool = True, only_process_constants: bool = False, max_recur: int = 10) -> Any:
    """Returns the value of a Variable whose elements are all known to be one constant, as a 0-dimensional array.

    Raises NotScalarConstantError if that is unknown, EmptyConstantError for a constant without elements.
    """
    if isinstance(orig_v, np.ndarray):
        return numpy_scalar(orig_v).copy()
    if isinstance(orig_v, TensorConstant) and orig_v.data.size == 0:
        raise EmptyConstantError()
    find = pt.basic.get_underlying_scalar_constant_value
    constant = find(orig_v, elemwise=elemwise, only_process_constants=only_process_constants, max_recur=max_recur)
    return np.asarray(constant)


def extract_constant(x: Any, elemwise: bool = True, only_process_constants: bool = False) -> Any:
    """Returns the value of `x` if get_scalar_constant_value finds one, else `x` itself as a tensor Variable."""
    try:
        x = get_scalar_constant_value(x, elemwise, only_process_constants)
    except NotScalarConstantError:
        pass
    if isinstance(x, Variable) and isinstance(x.type, ps.ScalarType):
        x = x.owner.inputs[0] if x.owner and isinstance(x.owner.op, pt.basic.ScalarFromTensor) else pt.tensor_from_scalar(x)
    return x


def check_and_normalize_axes(x: Any, axis: Any) -> List[int]:
    """`axis` (int, sequence, constant or None) as a sorted list of non-negative ints.

    Raises TypeError for another kind of axis, ValueError for one that `x` does not have.
    """
    x = pt.as_tensor_variable(x)
    if axis is None:
        axes = []
    elif isinstance(axis, (int, np.integer)) or (isinstance(axis, np.ndarray) and axis.ndim == 0):
        axes = [int(axis)]
    elif isinstance(axis, (tuple, list, np.ndarray)):
        axes = [int(i) for i in axis]
    elif isinstance(axis, Variable):
        if getattr(axis, "data", 0) is None:
            axes = []
        elif not isinstance(axis, TensorConstant):
            raise TypeError(f"Computation needs a constant axis. Got {axis}")
        else:
            if axis.dtype not in integer_dtypes:
                raise AssertionError(axis.dtype)
            axes = [int(i) for i in np.atleast_1d(axis.data)]
    else:
        raise TypeError(f"Axis must be an integer, tuple, list of integers or a TensorVariable. Got {axis}")
    normalized = []
    for number in axes:
        place = number + x.type.ndim if number < 0 else number
        if not 0 <= place < x.type.ndim:
            raise ValueError(f"Computation needs a valid axis number for {x.type.ndim}-D tensor. Got {number}")
        normalized.append(place)
    return sorted(set(normalized))


def _axes(x: Any, axis: Any) -> Any:
    """Axes of a reduction of `x`; all of them where `axis` is None or empty."""
    return check_and_normalize_axes(x, axis) or list(range(x.type.ndim))


def max_and_argmax(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns [maximum over `axis`, its index]; over all axes if `axis` is None."""
    a = pt.as_tensor_variable(a)
    axes = _axes(a, axis)
    if not axes:
        return [a, pt.zeros_like(a, dtype="int64")]
    both = MaxAndArgmax(axes)(a)
    return [makeKeepDims(a, part, axes) for part in both] if keepdims else both


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the maximum over `axis`; over all axes if `axis` is None."""
    x = pt.as_tensor_variable(x)
    return pt.max(x, axis=tuple(_axes(x, axis)) or None, keepdims=keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the minimum over `axis`; over all axes if `axis` is None."""
    x = pt.as_tensor_variable(x)
    return pt.min(x, axis=tuple(_axes(x, axis)) or None, keepdims=keepdims)


def argmax(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the index of the maximum over `axis`; if `axis` is None, the index into the flattened `x`."""
    x = pt.as_tensor_variable(x)
    return pt.argmax(x, axis=tuple(_axes(x, axis)) or None, keepdims=keepdims)


def argmin(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the index of the minimum over `axis`; if `axis` is None, the index into the flattened `x`."""
    x = pt.as_tensor_variable(x)
    return pt.argmin(x, axis=tuple(_axes(x, axis)) or None, keepdims=keepdims)


def var(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False) -> Any:
    """Returns the variance over `axis`. As in Theano, `ddof` is subtracted from the length of each axis, not from the number of
    elements.
    """
    x = pt.as_tensor_variable(input)
    axes = _axes(x, axis)
    if not ddof or len(axes) < 2:
        return pt.math.var(x, axis, ddof, keepdims, corrected)  # pt.var is the module once that was imported
    centred = x - pt.mean(x, axis=axes, keepdims=True)
    found = pt.sum(centred**2, axis=axes, keepdims=keepdims)
    error = pt.sum(centred, axis=axes, keepdims=keepdims) ** 2
    for each in axes:
        length = x.shape[each]
        found, error = found / (length - ddof), error / ((length - ddof) * length)
    found = found - error if corrected else found
    found.name = "var"
    return found


def std(input: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False, corrected: bool = False) -> Any:
    """Returns the root of the variance, with the arguments of `var`."""
    root = pt.sqrt(var(input, axis, ddof, keepdims, corrected))
    root.name = "std"
    return root


for _name, _method in (("var", var), ("std", std)):
    setattr(_tensor_py_operators, _name, _method)


def transpose(x: Any, axes: Any = None) -> Any:
    """Transposes `x`, with the axes in the order `axes` (reversed by default). If the axes are reversed, the result is named after `x`:
    `x.T`.
    """
    x = pt.as_tensor_variable(x)
    turned = list(range(x.ndim - 1, -1, -1))
    order = turned if axes is None else list(axes)
    transposed = DimShuffle(input_ndim=x.ndim, new_order=order)(x)
    if x.name and order == turned:
        transposed.name = x.name + ".T"
    return transposed


def alloc_validate_shape(shape: Any) -> Any:
    """Returns (lengths in `shape` as Variables, whether each is known to be 1)."""
    lengths, known = pt.basic.infer_static_shape(shape)
    return lengths, [length == 1 for length in known]


def register_transfer(fn: Callable[..., Any]) -> None:
    """Adds `fn`, a function that moves Variables to a device, to PyTensor's transfer functions."""
    pt.basic.register_transfer(fn)


def addbroadcast(x: Any, *axes: int) -> Any:
    """Returns `x` with length 1 declared for `axes`. Raises ValueError at run time if one has another length."""
    return rebroadcast(x, [(axis, True) for axis in axes])


def unbroadcast(x: Any, *axes: int) -> Any:
    """Returns `x` with its dimensions `axes` no longer broadcastable."""
    return rebroadcast(x, [(axis, False) for axis in axes])


def patternbroadcast(x: Any, broadcastable: Sequence[bool]) -> Any:
    """Returns `x` with the broadcast pattern `broadcastable`."""
    return rebroadcast(x, [(i, bool(flag)) for i, flag in enumerate(broadcastable)])


def mean(
    input: Any, axis: Any = None, dtype: Any = None, op: bool = False, keepdims: bool = False, acc_dtype: Any = None
) -> Any:  # fmt: skip
    """Returns the mean over `axis`. With `op=True`, the single Op Mean in float64; another dtype then raises NotImplementedError."""
    if not op:
        return pt.mean(input, axis=axis, dtype=dtype, keepdims=keepdims, acc_dtype=acc_dtype)
    for given in (dtype, acc_dtype):
        if given not in (None, "float64"):
            raise NotImplementedError("The Mean op computes in float64; call tensor.mean(..., op=False) for another dtype.", given)
    x = pt.as_tensor_variable(input)
    out = Mean(axis)(x)
    return makeKeepDims(x, out, axis) if keepdims else out


def angle(z: Any) -> Any:
    """Returns the angle of each complex number in `z`, in float64 also for complex64."""
    return pt.cast(pt.angle(z), "float64")


def div_proxy(x: Any, y: Any) -> Any:
    """`true_div(x, y)`."""
    return pt.true_div(x, y)


def batched_tensordot(x: Any, y: Any, axes: Any = 2) -> Any:
    """Returns the tensor product over `axes` of each pair x[i], y[i]. Raises ValueError if `axes` include the first dimension."""
    x, y = pt.as_tensor_variable(x), pt.as_tensor_variable(y)
    left, right = (
        (list(range(x.ndim - axes, x.ndim)), list(range(1, axes + 1)))
        if isinstance(axes, int)
        else ([np.atleast_1d(side).tolist() for side in axes])
    )
    if len(left) != len(right) or 0 in left or 0 in right:
        raise ValueError("Axes to sum over must have the same number for both, and not be the first dimension")
    kept_x, kept_y = ([i for i in range(1, v.ndim) if i not in used] for v, used in ((x, left), (y, right)))

    def product(lengths: Any) -> Any:
        result: Any = 1
        for length in lengths:
            result = result * length
        return result

    flat_x = x.dimshuffle([0, *kept_x, *left]).reshape((x.shape[0], product(x.shape[i] for i in kept_x), product(x.shape[i] for i in left)))
    flat_y = y.dimshuffle([0, *right, *kept_y]).reshape(
        (y.shape[0], product(y.shape[i] for i in right), product(y.shape[i] for i in kept_y))
    )
    out = batched_dot(flat_x, flat_y)
    return out.reshape((x.shape[0], *(x.shape[i] for i in kept_x), *(y.shape[i] for i in kept_y)))


def batched_dot(a: Any, b: Any) -> Any:
    """dot(a[i], b[i]) for each index i of the first dimension. Raises TypeError for scalars."""
    a, b = pt.as_tensor_variable(a), pt.as_tensor_variable(b)
    if a.ndim == 0:
        raise TypeError("a must have at least one (batch) axis")
    if b.ndim == 0:
        raise TypeError("b must have at least one (batch) axis")
    if a.ndim == 1:
        return a.dimshuffle(*([0] + ["x"] * (b.ndim - 1))) * b
    if b.ndim == 1:
        return a * b.dimshuffle(*([0] + ["x"] * (a.ndim - 1)))
    if a.ndim > 3 or b.ndim > 3:
        return batched_tensordot(a, b, [[a.ndim - 1], [builtins.max(1, b.ndim - 2)]])
    from pytensor.tensor.blas import _batched_dot

    left = a.dimshuffle(0, "x", 1) if a.ndim == 2 else a
    right = b.dimshuffle(0, 1, "x") if b.ndim == 2 else b
    out = _batched_dot(left, right)
    if a.ndim == 2 and b.ndim == 2:
        return out[:, 0, 0]
    return out[:, 0] if a.ndim == 2 else out[:, :, 0] if b.ndim == 2 else out


class AllocDiag(metaclass=OpInstanceCheck):
    """An Op that puts each vector of its input on a diagonal of a matrix of zeros; PyTensor's nodes of it count as instances."""

    op = pt.basic.AllocDiag

    def __init__(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> None:
        self.offset, self.axis1, self.axis2 = offset, axis1, axis2

    def __call__(self, diag: Any) -> Any:
        diag = pt.as_tensor_variable(diag)
        if diag.type.ndim < 1:
            raise ValueError("AllocDiag needs an input with 1 or more dimensions", diag.type)
        return pt.basic.alloc_diag(diag, offset=self.offset, axis1=self.axis1, axis2=self.axis2)

    def make_node(self, diag: Any) -> Any:
        """Returns the node that computes the matrix."""
        return self(diag).owner


class Dot(metaclass=OpInstanceCheck):
    """The Op of `dot` for vectors and matrices. Raises TypeError for other ranks."""

    op = pt.math.Dot

    def __call__(self, a: Any, b: Any) -> Any:
        a, b = pt.as_tensor_variable(a), pt.as_tensor_variable(b)
        for place, value in enumerate((a, b)):
            if value.ndim not in (1, 2):
                raise TypeError(f"theano.tensor.Dot: input {place} ({place} indexed) must have ndim of 1 or 2, {value.ndim} given.")
        return pt.dot(a, b)

    def make_node(self, a: Any, b: Any) -> Any:
        """Returns the node that computes the product; vectors become matrices of one row or column."""
        return self(a, b).owner

    def __str__(self) -> str:
        return "dot"


_dot = Dot()


def split(x: Any, splits_size: Any, n_splits: int, axis: Any = 0) -> Any:
    """Returns `x` split along `axis` into `n_splits` parts with the lengths `splits_size`."""
    return pt.split(x, splits_size, n_splits=n_splits, axis=axis)


def stack(*tensors: Any, **kwargs: Any) -> Any:
    """`stack([a, b], axis)`, or the older `stack(a, b)` with a DeprecationWarning.

    Raises IndexError for an axis out of bounds.
    """
    rows: Any
    if not tensors and not kwargs:
        raise Exception("theano.tensor.stack(tensors, axis) must have at least one parameter")
    if (
        not kwargs
        and not isinstance(tensors[0], (list, tuple, TensorVariable))
        or len(tensors) > 1
        and not (isinstance(tensors[0], (list, tuple)) and len(tensors) == 2 and not isinstance(tensors[1], (list, tuple)))
    ):
        warnings.warn("stack(*tensors) interface is deprecated, use stack(tensors, axis=0) instead.", DeprecationWarning, stacklevel=3)
        rows, axis = list(tensors), 0
    elif len(tensors) == 1 and not kwargs and isinstance(tensors[0], TensorVariable):
        rows, axis = tensors[0], 0
    else:
        rows = kwargs.get("tensors", tensors[0] if tensors else None)
        axis = tensors[1] if len(tensors) > 1 else kwargs.get("axis", 0)
    if isinstance(rows, TensorVariable):
        rows = list(rows) if rows.ndim == 1 else [rows] if axis == 0 else rows
    if len(rows) == 0:
        raise Exception("tensors is empty. You should at least provide one tensor to theano.tensor.stack(tensors, axis).")
    if builtins.all(isinstance(v, (int, float, np.number)) or getattr(v, "ndim", None) == 0 for v in rows):
        return pt.stack(list(rows), axis=axis)
    parts = [pt.as_tensor_variable(v) for v in rows]
    ndim = parts[0].ndim
    if not -ndim - 1 <= axis <= ndim:
        raise IndexError(f"axis {axis} is out of bounds [-{ndim + 1}, {ndim + 1})")
    return pt.join(axis if axis >= 0 else axis + ndim + 1, *[pt.shape_padaxis(v, axis) for v in parts])


def join_(*args: Any) -> Any:
    """Returns the Op Join applied to (axis, *tensors)."""
    return pt.basic.Join()(*args)


def reshape(x: Any, newshape: Any, ndim: Optional[int] = None) -> Any:
    """Returns `x` with the shape `newshape`; `ndim` is required if the length of `newshape` is unknown."""
    return pt.reshape(x, newshape, ndim=ndim)


def _outdim(ndim: Optional[int], outdim: Optional[int]) -> int:
    if outdim is not None and ndim is not None:
        raise ValueError("You should only specify ndim")
    if outdim is not None:
        warnings.warn("flatten outdim parameter is deprecated, use ndim instead.", stacklevel=3)
    return ndim if ndim is not None else 1 if outdim is None else outdim


def is_flat(var: Any, ndim: Optional[int] = None, outdim: Optional[int] = None) -> bool:
    """Returns whether `var` has `ndim` dimensions, 1 by default."""
    return bool(var.ndim == _outdim(ndim, outdim))


def flatten(x: Any, ndim: Optional[int] = None, outdim: Optional[int] = None) -> Any:
    """Returns `x` with its first ndim - 1 dimensions kept and the others flattened into one; `outdim` is the older name of `ndim`.

    Raises ValueError if `x` has fewer than `ndim` dimensions.
    """
    ndim = _outdim(ndim, outdim)
    x = pt.as_tensor_variable(x)
    if ndim < 1 or (ndim > 1 and ndim > x.ndim):
        raise ValueError(f"ndim {ndim} out of bound [1, {x.ndim + 1})")
    flat = x.reshape((*(x.shape[i] for i in range(ndim - 1)), -1))
    flags = [*x.type.broadcastable[: ndim - 1], builtins.all(x.type.broadcastable[ndim - 1 :])]
    return addbroadcast(flat, *[i for i, flag in enumerate(flags) if flag])


class Flatten:
    """Former Op of `flatten`: `Flatten(outdim)(x)`."""

    def __init__(self, outdim: int = 1) -> None:
        self.outdim = int(outdim)

    def __call__(self, x: Any) -> Any:
        return flatten(x, self.outdim)


def tile(x: Any, reps: Any, ndim: Optional[int] = None) -> Any:
    """Returns `x` repeated `reps` times along each dimension; `ndim`, the rank of the result, is required if `reps` is a symbolic vector.

    Raises ValueError for repetitions that are not integers or too many.
    """
    x = pt.as_tensor_variable(x)
    if ndim is not None and ndim < x.ndim:
        raise ValueError("ndim should be equal or larger than x.ndim")
    if not isinstance(reps, (list, tuple)):
        symbolic = pt.as_tensor_variable(reps)
        if symbolic.dtype not in discrete_dtypes:
            raise ValueError("elements of reps must be integer dtype")
        if symbolic.ndim == 0:
            reps = [reps]
        elif symbolic.ndim == 1:
            if ndim is None:
                raise ValueError("if reps is tensor.vector, you should specify the ndim")
            offset = ndim - symbolic.shape[0]
            offset = Assert("reps is longer than ndim")(offset, pt.ge(offset, 0))
            reps = [pt.switch(pt.lt(i, offset), 1, symbolic[i - offset]) for i in range(ndim)]
        else:
            raise ValueError("the dimension of reps should not exceed 1")
    else:
        if ndim is not None and len(reps) > ndim:
            raise ValueError("len(reps) should be equal or less than ndim")
        if not builtins.all(isinstance(r, (int, np.integer)) or getattr(r, "dtype", "") in discrete_dtypes for r in reps):
            raise ValueError("elements of reps must be scalars of integer dtype")
    ndim = builtins.max(len(reps), x.ndim) if ndim is None else ndim
    reps = [1] * (ndim - len(reps)) + list(reps)
    lengths = [1] * (ndim - x.ndim) + [x.shape[i] for i in range(x.ndim)]
    spread = pt.alloc(x, *reps, *lengths)
    order = [place for i in range(ndim) for place in (i, ndim + i)]
    return spread.dimshuffle(*order).reshape([length * times for length, times in zip(lengths, reps)])


def choose(a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
    """Returns for each element of `a` the element of `choices` that it selects."""
    assert out is None
    return pt.choose(a, choices, mode=mode)


def nonzero(a: Any, return_matrix: bool = False) -> Any:
    """Returns the indices of the nonzero elements of `a`: one vector for each dimension, or a matrix. Raises ValueError for a scalar."""
    a = pt.as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError("Nonzero only supports non-scalar arrays.")
    return pt.nonzero(a, return_matrix=return_matrix)


def _pack(x: Any) -> Any:
    try:
        return list(x)
    except TypeError:
        return [x]


LAZY = {
    "scal": "theano.scalar", "elemwise": "theano.tensor.elemwise", "gof": "theano.gof", "compile": "theano.compile", "theano": "theano",
    "printing": "theano.printing",
}  # fmt: skip
"""Modules imported by Theano's file, which `from theano.tensor import *` therefore imports too."""


def __getattr__(name: str) -> Any:
    """One of the modules in LAZY."""
    if name in LAZY:
        return importlib.import_module(LAZY[name])
    raise AttributeError(name)


izip = zip
