"""Ops whose constructor and `make_node` accept the arguments that they had in Theano."""

from functools import lru_cache, reduce, wraps
from typing import Any, Callable, List, Optional, cast

import numpy as np
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.link.basic import Linker
from pytensor.raise_op import Assert
from pytensor.scalar.basic import Add, Cast, Composite, Mul
from pytensor.tensor.basic import Join
from pytensor.tensor.elemwise import DimShuffle, Elemwise
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import Argmax
from pytensor.tensor.shape import Reshape, SpecifyShape
from pytensor.tensor.type import TensorType, int_dtypes

from ..ops.arrays import rebroadcast
from ..pytensor_versions import axis_is_input


def _dimshuffle_init(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(
        self: Any, input_broadcastable: Any = None, new_order: Any = None, inplace: bool = True, *, input_ndim: Optional[int] = None
    ) -> None:
        if input_broadcastable is None:
            return original(self, input_ndim=input_ndim, new_order=new_order)
        flags = tuple(bool(flag) for flag in input_broadcastable)
        order = tuple(new_order)
        for i, axis in enumerate(order):
            if axis != "x" and not isinstance(axis, (int, np.integer)):
                raise TypeError("DimShuffle indices must be python ints.")
            if axis != "x" and axis >= len(flags):
                raise ValueError(f"new_order[{i}] is {axis}, but the input only has {len(flags)} axes.")
        for axis, flag in enumerate(flags):
            if axis not in order and not flag:
                raise ValueError("You cannot drop a non-broadcastable dimension.", (input_broadcastable, new_order))
        original(self, input_ndim=len(flags), new_order=order)
        self.input_broadcastable = flags
        return None

    return __init__


def _specify_shape(original: Callable[..., Apply]) -> Callable[..., Apply]:
    """`make_node` of SpecifyShape that also accepts the lengths as one vector or list."""

    @wraps(original)
    def make_node(self: Any, x: Any, *shape: Any) -> Apply:
        if len(shape) == 1 and (isinstance(shape[0], (list, tuple)) or getattr(shape[0], "ndim", 0) == 1):
            x = pt.as_tensor_variable(x)
            lengths = shape[0]
            try:
                known = len(lengths) if isinstance(lengths, (list, tuple)) else pt.get_vector_length(lengths)
            except ValueError:
                known, lengths = x.ndim, Assert("SpecifyShape: as many lengths as dimensions")(lengths, pt.eq(lengths.shape[0], x.ndim))
            assert known == x.ndim, (known, x.ndim)
            shape = tuple(lengths[i] for i in range(known))
        return original(self, x, *shape)

    return make_node


def _reshape_init(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(self: Any, ndim: int, name: Any = None) -> None:
        assert name is None, "name attribute for Reshape has been deprecated"
        original(self, ndim)

    return __init__


def _is_one(length: Any) -> bool:
    try:
        return int(pt.get_scalar_constant_value(pt.as_tensor_variable(length))) == 1
    except (NotScalarConstantError, ValueError):
        return False


def _reshape(self: Any, x: Any, shp: Any) -> Apply:
    """`make_node` of Reshape that keeps `shp` as given and infers only which lengths are 1. Raises Theano's errors."""
    x = pt.as_tensor_variable(x)
    given = shp
    shp = pt.as_tensor_variable(shp, ndim=1)
    data = getattr(shp, "data", None)
    if shp.dtype not in int_dtypes and not (data is not None and data.size == 0) and "uint" not in shp.dtype:
        raise TypeError("Shape must be integers", shp, shp.dtype)
    if data is not None and data.size == 0 and shp.dtype not in int_dtypes:
        shp = pt.constant(np.zeros(0, dtype="int64"))
    assert shp.ndim == 1
    if data is not None:
        if len(data) != self.ndim:
            raise ValueError(f"Shape argument to Reshape has incorrect length: {len(data)}, should be {self.ndim}")
        flags = [int(length) == 1 for length in data]
    else:
        entries = [given] if getattr(given, "ndim", None) == 0 else given
        flags = [_is_one(entries[i]) for i in range(self.ndim)]
    return Apply(self, [x, shp], [TensorType(x.type.dtype, flags)()])


def _join_init(self: Any, view: int = -1) -> None:
    """`Join.__init__` with Theano's argument `view`, an input that may be returned uncopied; it is ignored, since a copy is right too."""


def _argmax_init(original: Callable[..., None]) -> Callable[..., None]:
    @wraps(original)
    def __init__(self: Any, axis: Any = None) -> None:
        original(self, (int(axis),) if isinstance(axis, (int, np.integer)) else axis)

    return __init__


def _grad(self: Any, inputs: Any, output_grads: Any) -> List[Any]:
    """Theano's `op.grad(inputs, output_grads)`, implemented with `pullback`. Raises NotImplementedError if the Op has none."""
    if type(self).pullback is Op.pullback:
        raise NotImplementedError(f"grad not implemented for Op {self}")
    return list(self.pullback(inputs, self.make_node(*inputs).outputs, output_grads))


def _default_output(self: Apply) -> Any:
    """The output that represents the node. Raises AttributeError if the Op has several and specifies no default."""
    place = self.op.default_output
    if place is None:
        if len(self.outputs) == 1:
            return self.outputs[0]
        raise AttributeError(f"{self.op}.default_output should be an output index.")
    if not isinstance(place, (int, np.integer)) or not 0 <= place < len(self.outputs):
        raise AttributeError(f"{self.op}.default_output is out of range or no index.")
    return self.outputs[place]


def _make_function(self: Any, unpack_single: bool = True, **kwargs: Any) -> Callable[..., Any]:
    """Theano's `Linker.make_function`: a plain function that runs the linker's thunk."""
    thunk, inputs, outputs = self.make_thunk(**kwargs)[:3]

    def execute(*args: Any) -> Any:
        if len(args) != len(inputs):
            raise TypeError(f"Function call takes exactly {len(inputs)} arguments ({len(args)} given)")
        for value, container in zip(args, inputs):
            container.data = value
        thunk()
        values = [container.data for container in outputs]
        return values[0] if unpack_single and len(values) == 1 else values

    execute.thunk = thunk  # type: ignore[attr-defined]
    execute.inputs, execute.outputs = inputs, outputs  # type: ignore[attr-defined]
    return execute


def _elemwise_perform(original: Callable[..., None]) -> Callable[..., None]:
    """`perform` of Elemwise that adds and multiplies more than two operands pairwise, computes fused operations one after the other, and
    accepts more operands than a numpy ufunc.

    PyTensor's own calls `np.prod` for each element of a product of three matrices. It computes fused operations with Python's numbers,
    which give a float64 the precision of a float32 constant (NumPy 2). For those, and for Cast, it refuses integers that wrap around in C.
    """

    @wraps(original)
    def perform(self: Any, node: Apply, inputs: Any, output_storage: Any) -> None:
        many = len(node.inputs) + len(node.outputs) > 32
        dtype = node.outputs[0].dtype
        two_at_a_time = len(inputs) > 2 and isinstance(self.scalar_op, (Add, Mul)) and dtype != "bool"
        fused, converts = isinstance(self.scalar_op, Composite), isinstance(self.scalar_op, Cast)
        if not (many or two_at_a_time or fused or converts):
            return original(self, node, inputs, output_storage)
        self._check_runtime_broadcast(node, inputs)
        if two_at_a_time:
            join = np.add if isinstance(self.scalar_op, Add) else np.multiply
            with np.errstate(all="ignore"):
                results = [np.asarray(reduce(lambda x, y: join(x, y, dtype=dtype), inputs))]
        elif converts:
            with np.errstate(all="ignore"):
                results = [np.asarray(inputs[0]).astype(dtype)]
        else:
            results = _node_by_node(self.scalar_op, inputs) if fused else _one_by_one(self, node, inputs)
        for i, (storage, result) in enumerate(zip(output_storage, results)):
            if i in self.inplace_pattern:
                inputs[self.inplace_pattern[i]][...] = result
                result = inputs[self.inplace_pattern[i]]
            storage[0] = result
        return None

    return perform


@lru_cache(maxsize=4096)
def _on_arrays(node: Apply, ndim: int) -> Apply:
    """The elementwise operation on arrays that computes a node of a fused operation."""
    return cast(Apply, Elemwise(node.op).make_node(*(TensorType(i.type.dtype, (None,) * ndim)() for i in node.inputs)))


def _node_by_node(op: Any, inputs: Any) -> List[Any]:
    """The outputs of a fused operation: each of its nodes computed on whole arrays, in its own dtype.

    Each output has memory of its own, also where the operation has an output twice, or an input as an output: later Ops overwrite them.
    """
    shape = np.broadcast_shapes(*(np.shape(value) for value in inputs))
    values = {i: np.broadcast_to(np.asarray(value, dtype=i.type.dtype), shape) for i, value in zip(op.fgraph.inputs, inputs)}
    for node in op.fgraph.toposort():
        each = _on_arrays(node, len(shape))
        given = [values[i] if i in values else np.broadcast_to(np.asarray(i.data, dtype=i.type.dtype), shape) for i in node.inputs]
        results: List[List[Any]] = [[None] for _ in node.outputs]
        each.op.perform(each, given, results)
        values.update((output, np.asarray(result[0])) for output, result in zip(node.outputs, results))
    outputs: List[Any] = []
    for output in op.fgraph.outputs:
        value = values[output]
        shared = any(np.may_share_memory(value, other) for other in (*map(np.asarray, inputs), *outputs))
        outputs.append(value.copy() if shared else value)
    return outputs


def _one_by_one(op: Any, node: Apply, inputs: Any) -> List[Any]:
    """The outputs of an elementwise Op, computed element by element."""
    shape = np.broadcast_shapes(*(value.shape for value in inputs))
    spread = [np.broadcast_to(value, shape) for value in inputs]
    results = [np.empty(shape, dtype=output.dtype) for output in node.outputs]
    for place in np.ndindex(*shape):
        values = op.scalar_op.impl(*(value[place] for value in spread))
        for result, value in zip(results, values if len(results) > 1 else [values]):
            result[place] = value
    return results


def _declare_broadcastable(x: Any, *axes: int) -> Any:
    """`x` with length 1 declared for `axes`. Raises ValueError at run time if one has another length."""
    return rebroadcast(x, [(axis, True) for axis in axes])


def apply(origin: str) -> None:
    """Replaces constructors and methods of PyTensor's Ops by the functions above; some only for the package `theano`."""
    DimShuffle.__init__ = _dimshuffle_init(DimShuffle.__init__)
    SpecifyShape.make_node = _specify_shape(SpecifyShape.make_node)
    Reshape.__init__ = _reshape_init(Reshape.__init__)
    if axis_is_input(Join):
        Join.__init__ = _join_init
    Argmax.__init__ = _argmax_init(Argmax.__init__)
    Op.grad = _grad
    Linker.make_function = _make_function
    Elemwise.perform = _elemwise_perform(Elemwise.perform)
    if origin == "theano":
        Reshape.make_node = _reshape
        pt.subtensor.specify_broadcastable = _declare_broadcastable
        Apply.default_output = _default_output
        one_vector = getattr(pt.subtensor, "AdvancedIncSubtensor1", None)
        if one_vector is not None:  # Theano broadcast the value that is assigned to a list of rows
            one_vector._check_runtime_broadcasting = lambda self, node, x, y, idx: None
