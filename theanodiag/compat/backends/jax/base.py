"""JAX: 64-bit types keep 64 bits, and integers derived from shapes stay constant while a graph is traced.

PyTensor's own conversions turn a shape into a traced array as soon as anything is computed from it; JAX then rejects it as a length in a
reshape, an `arange` or an `alloc`. Here, integers computed from integers known during tracing are computed with numpy.
"""

import importlib
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytensor.scalar as ps
from jax import export
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.tensor.basic import Alloc, AllocEmpty, ARange, Join, MakeVector, ScalarFromTensor, TensorFromScalar
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.shape import Reshape
from pytensor.tensor.subtensor import Subtensor

jax.config.update("jax_enable_x64", True)
Inconclusive: Any = getattr(jax.errors, "InconclusiveDimensionOperation", None) or jax.core.InconclusiveDimensionOperation
"""Raised by JAX where a comparison depends on lengths that are left open; its old place until JAX 0.8."""
LARGEST = 4096
"""Number of elements of the largest array that is computed in numpy while tracing."""


def known(value: Any) -> bool:
    """Returns whether `value` is a concrete value, not a tracer, while JAX traces a function."""
    if isinstance(value, (tuple, list)):
        return all(map(known, value))
    if isinstance(value, jax.core.Tracer):
        return False
    return isinstance(value, (np.ndarray, np.generic, bool, int, float, jax.Array, slice)) and not symbolic(value)


def symbolic(value: Any) -> bool:
    """Returns whether `value` is a length that stays variable in an export, or an array of lengths with such entries."""
    return export.is_symbolic_dim(value) or (isinstance(value, np.ndarray) and value.dtype.kind == "O")


def _first(values: Any) -> Any:
    return values[0]


def _equal(pair: Any) -> bool:
    """Whether two lengths are equal; raises Inconclusive where that depends on what is left open."""
    return not (pair[0] > pair[1] or pair[0] < pair[1])


_OF_LENGTHS: Any = {
    ps.Add: sum,
    ps.Mul: math.prod,
    ps.Sub: lambda pair: pair[0] - pair[1],
    ps.Identity: _first,
    ps.Cast: _first,
    ps.EQ: _equal,
}


def _of_symbols(op: Any, node: Any, values: Any) -> Any:
    """The output of `node` for lengths that include symbolic ones; None if the output is not known for every length."""
    if isinstance(op, Elemwise) and type(op.scalar_op) not in _OF_LENGTHS:
        return None
    truth = isinstance(op, Elemwise) and isinstance(op.scalar_op, ps.EQ)
    if (not truth and str(node.outputs[0].type.dtype)[:3] not in ("int", "uin")) or not all(known(v) or symbolic(v) for v in values):
        return None
    arrays = [np.asarray(v, dtype=object) for v in values]
    if isinstance(op, Elemwise):
        combine = _OF_LENGTHS[type(op.scalar_op)]
        broadcast = np.broadcast_arrays(*arrays)
        found = np.empty(broadcast[0].shape, dtype=object)
        try:
            for place in np.ndindex(found.shape):
                found[place] = combine([a[place] for a in broadcast])
        except Inconclusive:
            return None
        if truth:
            return found.astype(bool)
    elif isinstance(op, (ScalarFromTensor, TensorFromScalar)):
        found = arrays[0]
    elif isinstance(op, MakeVector):
        found = np.array([a.item() for a in arrays], dtype=object)
    elif isinstance(op, (Subtensor, Join)):
        storage = [[None]]
        op.perform(node, [a if symbolic(v) else np.asarray(v) for a, v in zip(arrays, values)], storage)
        found = np.asarray(storage[0][0], dtype=object)
    else:
        return None
    return found if found.ndim else found.item()


def _chosen(op: Any, values: Any) -> Any:
    """The branch that a switch of scalars takes where its condition and that branch are known or left open; else None.

    The shape of a reshape is such a switch, whose other branch is the quotient that -1 stands for.
    """
    if not (isinstance(op, Elemwise) and isinstance(op.scalar_op, ps.Switch) and known(values[0]) and not any(map(np.ndim, values))):
        return None
    branch = values[1] if values[0] else values[2]
    return branch if known(branch) or symbolic(branch) else None


def _traceable(value: Any) -> Any:
    """`value` in a form that JAX's functions accept."""
    if not symbolic(value):
        return value
    return jnp.stack([jnp.asarray(v) for v in value]) if isinstance(value, np.ndarray) else jnp.asarray(value)


def traced(values: Any) -> bool:
    """Returns whether any of `values` is a tracer, so that JAX is compiling."""
    return any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree_util.tree_leaves(list(values)))


def _computed(op: Any, node: Any, values: Any) -> list[Any]:
    """The outputs of `node` for known values, computed with numpy."""
    arrays = [np.asarray(v, dtype=i.type.dtype) if hasattr(i.type, "dtype") else v for v, i in zip(values, node.inputs)]
    if isinstance(op, Elemwise):
        broadcast = np.broadcast_arrays(*arrays)
        with np.errstate(all="ignore"):
            elements = zip(*(a.ravel().tolist() if a.dtype.kind in "iub" else a.ravel() for a in broadcast))
            rows = [op.scalar_op.impl(*each) for each in elements]
        columns = list(zip(*rows)) or [()] * len(node.outputs) if len(node.outputs) > 1 else [rows]
        return [np.array(column, dtype=o.type.dtype).reshape(broadcast[0].shape) for column, o in zip(columns, node.outputs)]
    storage = [[None] for _ in node.outputs]
    op.perform(node, arrays, storage)
    return [np.asarray(cell[0], dtype=o.type.dtype) for cell, o in zip(storage, node.outputs)]


def of_type(result: Any, dtype: Any) -> Any:
    """Returns `result` converted to `dtype` if it is a JAX array of another dtype."""
    return result.astype(dtype) if isinstance(result, jax.Array) and result.dtype != dtype else result


_COMPARISONS = (ps.LT, ps.GT, ps.LE, ps.GE, ps.EQ, ps.NEQ)
_ARITHMETIC = (
    ps.Add, ps.Sub, ps.Mul, ps.TrueDiv, ps.IntDiv, ps.Mod, ps.Pow, ps.ScalarMaximum, ps.ScalarMinimum, ps.ArcTan2, ps.Clip, ps.AND, ps.OR,
    ps.XOR,
)  # fmt: skip


def _computing_types(op: Any, node: Any) -> list[Any]:
    """The dtype in which PyTensor computes with each input of an Elemwise; None if an input is taken as it is.

    JAX computes int32 / int32, and float32 with int32 or int64, in float32, and uint8 ** int8 in a type of one byte. PyTensor computes
    in the type of the output, as numpy does, and compares in the type that holds both sides.
    """
    given, scalar_op = [np.dtype(i.type.dtype) for i in node.inputs], op.scalar_op
    as_given = [None] * len(given)
    if isinstance(scalar_op, _COMPARISONS):
        return [np.result_type(*given)] * len(given)
    out = np.dtype(node.outputs[0].type.dtype)
    if isinstance(scalar_op, ps.Switch):
        return [None, out, out]
    if not (len(given) == len(node.outputs) == 1 or isinstance(scalar_op, _ARITHMETIC)):
        return as_given
    widens = all(np.can_cast(i, out, "same_kind") for i in given)
    return [out] * len(given) if widens and out.kind in "iufc" else as_given


def _in_types(values: Any, dtypes: Any) -> tuple[Any, ...]:
    """`values`, each cast to its dtype unless that is None; what is known stays so."""
    return tuple(
        value
        if dtype is None or getattr(value, "dtype", None) == dtype
        else np.asarray(value).astype(dtype)
        if known(value)
        else value.astype(dtype)
        for value, dtype in zip(values, dtypes)
    )


def _from_scipy(op: Any, node: Any) -> Any:
    """A conversion of the Elemwise `node` that calls SciPy's function on the host; None if its scalar Op is not a function of SciPy's."""
    place = (getattr(op.scalar_op, "nfunc_spec", None) or ("",))[0].split(".")
    if place[0] != "scipy" or len(node.outputs) != 1:
        return None
    function = getattr(importlib.import_module(".".join(place[:-1])), place[-1])
    dtype = node.outputs[0].type.dtype

    def called(*values: Any) -> Any:
        result = jax.ShapeDtypeStruct(np.broadcast_shapes(*map(np.shape, values)), dtype)
        return jax.pure_callback(lambda *arrays: np.asarray(function(*map(np.asarray, arrays)), dtype=dtype), result, *values)

    return called


def _keeps_known(kind: Any) -> None:
    """Wraps the conversion of the Op class `kind`: known integers are computed with numpy, and the result has PyTensor's dtype."""
    convert = jax_funcify.dispatch(kind)

    def converted(op: Any, node: Any = None, **kwargs: Any) -> Any:
        try:
            traced = convert(op, node=node, **kwargs)
        except (AttributeError, NotImplementedError):  # JAX has no function of that name, as for j0 and jv
            traced = _from_scipy(op, node) if isinstance(op, Elemwise) and node is not None else None
            if traced is None:
                raise
        dtypes = [getattr(output.type, "dtype", None) for output in node.outputs] if node is not None else []
        if not dtypes or None in dtypes:
            return traced
        # Numbers that are not whole may lead to a length too: T.ceil(x.shape[0] / 3.)
        scalars = isinstance(op, Elemwise) and all(output.type.ndim == 0 for output in node.outputs)
        lengths = scalars or all(str(dtype)[:3] in ("int", "uin", "boo") for dtype in dtypes)
        computing = _computing_types(op, node) if isinstance(op, Elemwise) else None

        def run(*values: Any) -> Any:
            if lengths and all(known(v) and np.size(v) <= LARGEST for v in values):
                results = _computed(op, node, values)
                return results[0] if len(results) == 1 else results
            branch = _chosen(op, values) if lengths else None
            if branch is not None:
                return branch if symbolic(branch) else np.asarray(branch, dtype=dtypes[0])
            if any(map(symbolic, values)):
                found = _of_symbols(op, node, values) if lengths else None
                if found is not None:
                    return found
                values = tuple(map(_traceable, values))
            result = traced(*(values if computing is None else _in_types(values, computing)))
            # JAX promotes otherwise than PyTensor: a Python number is weak, an integer array does not widen a float32.
            if len(dtypes) > 1:
                return [of_type(part, dtype) for part, dtype in zip(result, dtypes)]
            return of_type(result, dtypes[0])

        return run

    jax_funcify.register(kind, converted)


_plain_reduction = jax_funcify.dispatch(CAReduce)


@jax_funcify.register(CAReduce)
def _reduction(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """A reduction such as a sum or product, accumulated in `acc_dtype` (float64 for float32); PyTensor only converts the result to it."""
    dtype = getattr(op, "acc_dtype", None)
    if type(op).__name__ == "ProdWithoutZeros":  # PyTensor 3.0.7 looks for it in jax.lax
        return lambda x: jnp.prod(jnp.where(x == 0, 1, x), axis=op.axis, dtype=dtype)
    reduce = _plain_reduction(op, node=node, **kwargs)
    return (lambda x: reduce(jnp.asarray(x, dtype=dtype))) if dtype is not None else reduce


for _kind in (MakeVector, Subtensor, Join, ScalarFromTensor, TensorFromScalar, Elemwise, DimShuffle, CAReduce):
    _keeps_known(_kind)


def lengths(shape: Any, what: str) -> tuple[Any, ...]:
    """Returns `shape` as a tuple of ints and symbolic lengths. Raises NotImplementedError, naming `what`, if it depends on the values of an
    input.
    """
    if not (known(shape) or symbolic(shape) or (isinstance(shape, (tuple, list)) and all(known(n) or symbolic(n) for n in shape))):
        raise NotImplementedError(
            "JAX needs the shape of {} when it compiles, but here it depends on the values of an input; run this function with "
            "mode='FAST_RUN' (C) or mode='NUMBA'".format(what)
        )
    return tuple(n if symbolic(n) else int(n) for n in np.asarray(shape, dtype=object).ravel())


@jax_funcify.register(Reshape)
def _reshape(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def reshape(x: Any, shape: Any) -> Any:
        target = lengths(shape, "a reshape")
        return np.reshape(x, target) if isinstance(x, np.ndarray) else jnp.reshape(x, target)

    return reshape


@jax_funcify.register(ARange)
def _arange(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def arange(start: Any, stop: Any, step: Any) -> Any:
        if not known((start, stop, step)):
            lengths((start, stop, step), "an arange")
        bounds = [np.asarray(v).item() for v in (start, stop, step)]
        return np.arange(*bounds, dtype=op.dtype)

    return arange


@jax_funcify.register(Alloc)
def _alloc(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def alloc(x: Any, *shape: Any) -> Any:
        target = lengths(shape, "an alloc")
        few = not any(map(symbolic, target)) and np.prod(target, dtype=float) <= LARGEST
        if few and isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "iub":
            return np.broadcast_to(x, target)
        return jnp.broadcast_to(jnp.asarray(x, dtype=node.outputs[0].type.dtype), target)

    return alloc


@jax_funcify.register(AllocEmpty)
def _alloc_empty(op: Any, node: Any = None, **kwargs: Any) -> Any:
    return lambda *shape: jnp.empty(lengths(shape, "an alloc"), dtype=op.dtype)
