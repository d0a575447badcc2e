"""Functions that JAX cannot compile as a whole: they are compiled for each set of integer values, or run Op by Op.

JAX must know all shapes during compilation, and cannot convert some Ops. A function in which a length depends on the value of a small
integer input is compiled once for each value, up to a limit. If that is not enough, and for Ops that JAX lacks (Scans that end on a
condition, sparse matrices, strings), the Ops run one after the other, each in JAX if possible, else with its own `perform`. If the script's
mode was chosen automatically, such functions run in C instead (behaviour/modes.py).
"""

import copy
from collections.abc import Callable
from typing import Any, List, Tuple

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
from jax.experimental.sparse import BCOO
from pytensor.compile.ops import DeepCopyOp, FromFunctionOp
from pytensor.graph.fg import AbstractFunctionGraph
from pytensor.graph.op import Op
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.link.jax.dispatch.basic import jax_typify
from pytensor.link.jax.dispatch.shape import JAXShapeTuple
from pytensor.link.utils import fgraph_to_python
from pytensor.scalar.basic import ScalarOp
from pytensor.tensor.basic import MakeVector, ScalarFromTensor, TensorFromScalar, as_tensor_variable
from pytensor.tensor.elemwise import CAReduce, DimShuffle, Elemwise
from pytensor.tensor.type import DenseTensorType

from ... import pytensor_versions as versions
from ...behaviour import user_ops
from ...behaviour.c_code import Thunk, has_c
from ...behaviour.modes import automatic
from ...errors import node_prefix
from ...notes import note
from .base import of_type, traced
from .conditions import nested

COMPILED = 16
"""Limit of the sets of integer values for which one function is compiled."""
_ARITHMETIC = (Elemwise, DimShuffle, CAReduce, ScalarFromTensor, TensorFromScalar, MakeVector)
SMALL = 8
"""Number of elements of the largest integer vector for whose values a function is compiled."""


def scipy_matrix(value: Any, form: str) -> Any:
    """Converts a JAX sparse matrix to a scipy matrix of the format `form`, "csc" or "csr"."""
    rows, columns = np.asarray(value.indices).T
    kind = scipy.sparse.csc_matrix if form == "csc" else scipy.sparse.csr_matrix
    return kind((np.asarray(value.data), (rows, columns)), shape=value.shape)


def _to_numpy(value: Any, variable: Any, own: bool) -> Any:
    """`value` in the form that `perform` takes; if `own`, a copy that it may overwrite."""
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(variable.type, DenseTensorType):
        return np.array(value, dtype=dtype) if own else np.asarray(value, dtype=dtype)
    if isinstance(value, BCOO):
        return scipy_matrix(value, variable.type.format)
    if dtype is not None and isinstance(value, (jax.Array, np.ndarray, np.generic, int, float)):
        return np.asarray(value, dtype=dtype)[()]
    return value


def _to_jax(value: Any, variable: Any) -> Any:
    """An output of `perform` in the form that JAX takes."""
    return jnp.asarray(value, dtype=variable.type.dtype) if isinstance(variable.type, DenseTensorType) else value


def by_perform(op: Any, node: Any, reason: Exception) -> Any:
    """Returns a function that runs `node` with its own Python code; the function raises `reason` if JAX is tracing."""
    thunk = Thunk(op, node)

    def run(*values: Any) -> Any:
        if traced(values):
            raise reason
        arrays = [_to_numpy(value, variable, place in thunk.destroyed) for place, (value, variable) in enumerate(zip(values, node.inputs))]
        results = [_to_jax(value, variable) for value, variable in zip(thunk(arrays), node.outputs)]
        return results[0] if len(results) == 1 else results

    return run


def _perform_shape_tuple(op: Any, node: Any, inputs: Any, output_storage: Any) -> None:
    """The lengths as a vector. PyTensor's own `perform` has other parameters and stores nothing: a Scan whose graph was rewritten for JAX
    ended the process in C code (3.0 to 3.3)."""
    output_storage[0][0] = np.array(inputs, dtype=node.outputs[0].type.dtype)


JAXShapeTuple.perform = _perform_shape_tuple


def can_perform(op: Any, node: Any) -> bool:
    """Returns whether `node` may run outside JAX."""
    return node is not None and not automatic() and hasattr(op, "perform")


def _typed(function: Any, node: Any) -> Any:
    """`function`, which computes `node`, with its results converted to the dtypes of the node's outputs.

    Some of PyTensor's conversions return the dtype that JAX chose; what is computed from it afterwards would overflow or round there.
    """
    dtypes = [output.type.dtype if isinstance(output.type, DenseTensorType) else None for output in node.outputs]

    def run(*values: Any) -> Any:
        results = function(*values)
        if len(dtypes) == 1:
            return of_type(results, dtypes[0]) if dtypes[0] else results
        return [of_type(result, dtype) if dtype else result for result, dtype in zip(results, dtypes)]

    return run


def convert(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """Returns JAX's conversion of `op`; if there is none, by_perform with a message. Raises NotImplementedError if that is impossible."""
    if isinstance(op, (Elemwise, CAReduce, ScalarOp)) and node is not None and has_c(op):
        return call_perform(op, node)  # Theano runs the C code, whatever the Op's `impl` or its base class computes
    try:
        function = jax_funcify(op, node=node, **kwargs)
        return function if node is None or not node.outputs else _typed(function, node)
    except NotImplementedError as refused:
        if not can_perform(op, node):
            raise
        place = node_prefix(node)
        said = str(refused)
        note("{}{}: it runs outside of JAX".format("" if said.startswith(place) else place, said))
        return by_perform(op, node, refused)


@jax_funcify.register(AbstractFunctionGraph)
def _graph(fgraph: Any, node: Any = None, fgraph_name: str = "jax_funcified_fgraph", **kwargs: Any) -> Any:
    return nested(fgraph_to_python(fgraph, convert, type_conversion_fn=jax_typify, fgraph_name=fgraph_name, **kwargs))


@jax_funcify.register(DeepCopyOp)
def _deep_copy(op: Any, **kwargs: Any) -> Any:
    def deep_copy(x: Any) -> Any:
        if isinstance(x, (jax.Array, np.ndarray, np.generic, int, float, complex)):
            return jnp.copy(x)
        return x if isinstance(x, BCOO) else copy.deepcopy(x)

    return deep_copy


def _whole_numbers(variable: Any) -> bool:
    """Whether `variable` is an integer or a vector of integers."""
    return getattr(variable.type, "ndim", 0) <= 1 and str(getattr(variable.type, "dtype", "")).startswith(("int", "uint"))


def _integers(fgraph: Any) -> list[int]:
    """Positions of the integer inputs on which a length may depend: those that lead, through integers, to an Op that is not elementwise.

    All integer inputs if there is none such. Indices of elements do not count: JAX accepts them as traced values.
    """
    reaching: set[Any] = set()
    for node in reversed(fgraph.toposort()):
        by_elements = isinstance(node.op, DeepCopyOp) or type(node.op).__name__.startswith("Advanced")  # AdvancedSubtensor and its kin
        if any(output in reaching for output in node.outputs) if isinstance(node.op, _ARITHMETIC) else not by_elements:
            reaching.update(v for v in node.inputs if _whole_numbers(v))
    small = [v for v in fgraph.inputs if _whole_numbers(v)]
    return [fgraph.inputs.index(v) for v in small if v in reaching] or [fgraph.inputs.index(v) for v in small]


class Unjitted:
    """A function that tries three ways in turn: compiled for all values, compiled for its integer values, Op by Op.

    The third way is not tried if the mode was chosen automatically: then the error is raised, and the function runs in C.
    """

    def __init__(self, fgraph: Any, function: Any, compiled: Any) -> None:
        self.function = function
        self.places = _integers(fgraph)
        self.by_integers: dict[Any, Any] = {}
        self.attempts = [compiled, self._for_these] if self.places else [compiled]
        self.last = None if automatic() else self._step_by_step

    def __call__(self, *values: Any) -> Any:
        reason: Any = None
        for place, attempt in enumerate(self.attempts):
            try:
                result = attempt(*values)
            except Exception as refused:
                reason = reason or refused
                continue
            del self.attempts[:place]  # they are not tried again
            return result
        if self.last is None:
            raise reason
        result = self.last(*values)  # an error here is the script's own
        if self.attempts:
            self.attempts.clear()
            note("JAX cannot compile a function as a whole: {}".format(str(reason).partition("\n")[0]))
        return result

    def _for_these(self, *values: Any) -> Any:
        """Calls the function compiled for these values of the small integer inputs. Raises NotImplementedError beyond the limits."""
        fixed = {place: np.asarray(values[place]) for place in self.places if np.size(values[place]) <= SMALL}
        key = tuple((place, value.shape, value.tobytes()) for place, value in fixed.items())
        if not fixed or (key not in self.by_integers and len(self.by_integers) >= COMPILED):
            raise NotImplementedError("JAX would compile this function for each value of its integers, of which there are many")
        if key not in self.by_integers:

            def function(*others: Any) -> Any:
                rest = iter(others)
                return self.function(*(fixed[i] if i in fixed else next(rest) for i in range(len(values))))

            self.by_integers[key] = jax.jit(function)
        return self.by_integers[key](*(v for i, v in enumerate(values) if i not in fixed))

    def _step_by_step(self, *values: Any) -> Any:
        """Runs the function without compiling it; random states are returned in the form in which they were given."""
        arrays = (jnp.asarray(v) if isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind in "biufc" else v for v in values)
        return jax.tree_util.tree_map(lambda x: x, self.function(*arrays))


def _length(value: Any) -> int:
    """A length from `infer_shape` as an int; it is an int or a graph of constants."""
    return int(value) if isinstance(value, (int, np.integer)) else int(as_tensor_variable(value).eval(mode="CVM"))


def shapes(op: Any, node: Any, inputs: List[Tuple[int, ...]]) -> List[Tuple[int, ...]]:
    """Returns the shapes of the outputs for the shapes `inputs`, from `infer_shape`, else from the output types.

    Raises NotImplementedError if neither determines them.
    """
    if hasattr(op, "infer_shape"):
        given = [tuple(as_tensor_variable(np.int64(n)) for n in shape) for shape in inputs]
        return [tuple(_length(n) for n in shape) for shape in versions.infer_shape(op, node, given)]
    static = [getattr(out.type, "shape", ()) for out in node.outputs]
    if any(n is None for shape in static for n in shape):
        raise NotImplementedError(
            "{}Op {} has no infer_shape: JAX cannot call its perform; give it one, or run this function with mode='FAST_RUN' (C) or "
            "mode='NUMBA'".format(node_prefix(node), type(op).__name__)
        )
    return [tuple(shape) for shape in static]


@jax_funcify.register(Op)
def call_perform(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """Returns a JAX conversion that calls back to the Op's C code or `perform`. Raises NotImplementedError for PyTensor's own Ops and for
    Ops with neither.
    """
    theirs = type(op).__module__.startswith("pytensor.") and not (isinstance(op, FromFunctionOp) or has_c(op))
    if theirs or (type(op).perform is user_ops.perform and not has_c(op)) or node is None:
        raise NotImplementedError(
            "{}JAX has no Op {}; run this function with mode='FAST_RUN' (C) or mode='NUMBA'".format(
                node_prefix(node) if node is not None else "", type(op).__name__
            )
        )
    for variable in (*node.inputs, *node.outputs):
        if user_ops.foreign(variable.type):
            kind = type(variable.type).__name__
            raise NotImplementedError("{}JAX has no Type {}; run this function with mode='FAST_RUN' (C)".format(node_prefix(node), kind))
    dtypes = [out.type.dtype for out in node.outputs]
    thunk = Thunk(op, node)

    def perform(*values: Any) -> Any:
        arrays = [_to_numpy(v, i, place in thunk.destroyed) for place, (v, i) in enumerate(zip(values, node.inputs))]
        results = thunk(arrays)
        return tuple(np.asarray(result, dtype=dtype) for result, dtype in zip(results, dtypes))

    def called(*values: Any) -> Any:
        if not traced(values):
            return by_perform(op, node, NotImplementedError())(*values)
        output_shapes = shapes(op, node, [np.shape(v) for v in values])
        results = jax.pure_callback(perform, tuple(jax.ShapeDtypeStruct(s, d) for s, d in zip(output_shapes, dtypes)), *values)
        return results[0] if len(results) == 1 else results

    return called
