"""Ops that users wrote with C code or a `perform` in Python: JAX calls it back."""

from typing import Any, List, Tuple

import jax
import numpy as np
from pytensor.compile.ops import FromFunctionOp
from pytensor.graph.op import Op
from pytensor.link.jax.dispatch.basic import jax_funcify
from pytensor.tensor.basic import as_tensor_variable

from .. import node_origin
from .. import pytensor_versions as versions
from ..behaviour import user_ops
from ..behaviour.c_code import has_c
from ..behaviour.thunks import Thunk
from .jax import traced
from .jax_unjitted import by_perform


def _length(value: Any) -> int:
    """A length from `infer_shape` as an int; it is one already or a graph of constants."""
    return int(value) if isinstance(value, (int, np.integer)) else int(as_tensor_variable(value).eval(mode="CVM"))


def shapes(op: Any, node: Any, inputs: List[Tuple[int, ...]]) -> List[Tuple[int, ...]]:
    """Shapes of the outputs for the shapes `inputs`, from `infer_shape`, else from the output types.

    NotImplementedError where neither determines them.
    """
    if hasattr(op, "infer_shape"):
        given = [tuple(as_tensor_variable(np.int64(n)) for n in shape) for shape in inputs]
        return [tuple(_length(n) for n in shape) for shape in versions.infer_shape(op, node, given)]
    found = [getattr(out.type, "shape", ()) for out in node.outputs]
    if any(n is None for shape in found for n in shape):
        raise NotImplementedError(
            "{}Op {} has no infer_shape: JAX cannot call its perform; give it one, or run this function with mode='FAST_RUN' (C) or "
            "mode='NUMBA'".format(node_origin.prefix(node), type(op).__name__)
        )
    return [tuple(shape) for shape in found]


@jax_funcify.register(Op)
def call_perform(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """JAX conversion that calls the Op's C code or `perform` back; NotImplementedError for PyTensor's own and for Ops without either."""
    theirs = type(op).__module__.startswith("pytensor.") and not isinstance(op, FromFunctionOp)
    if theirs or (type(op).perform is user_ops.perform and not has_c(op)) or node is None:
        raise NotImplementedError(
            "{}JAX has no Op {}; run this function with mode='FAST_RUN' (C) or mode='NUMBA'".format(
                node_origin.prefix(node) if node is not None else "", type(op).__name__
            )
        )
    dtypes = [out.type.dtype for out in node.outputs]

    thunk = Thunk(op, node)

    def perform(*values: Any) -> Any:
        results = thunk([np.array(v) if place in thunk.destroyed else np.asarray(v) for place, v in enumerate(values)])
        return tuple(np.asarray(result, dtype=dtype) for result, dtype in zip(results, dtypes))

    def called(*values: Any) -> Any:
        if not traced(values):
            return by_perform(op, node, NotImplementedError())(*values)
        made = shapes(op, node, [np.shape(v) for v in values])
        results = jax.pure_callback(perform, tuple(jax.ShapeDtypeStruct(s, d) for s, d in zip(made, dtypes)), *values)
        return results[0] if len(results) == 1 else results

    return called
