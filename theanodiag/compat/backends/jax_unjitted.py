"""What JAX cannot compile as a whole: compiled for these very integers, or else run Op by Op.

JAX must know all shapes when it compiles, and has no conversion of some Ops. A function in which a length depends on the value of a small
integer input is compiled once for each value, up to a limit. Where that does not help, and for all that lies outside of JAX (Scans that end
when a condition holds, sparse matrices, strings), the Ops run one after the other, each in JAX where it can, else by its own `perform`. A
script whose mode was chosen for it gets its functions in C instead (behaviour/modes.py).
"""

import copy
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse
from jax.experimental.sparse import BCOO
from pytensor.compile.ops import DeepCopyOp
from pytensor.graph.fg import AbstractFunctionGraph
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.link.jax.dispatch.basic import jax_typify
from pytensor.link.utils import fgraph_to_python
from pytensor.tensor.type import DenseTensorType

from .. import node_origin
from ..behaviour.modes import automatic
from .jax import traced
from .jax_checks import nested
from .thunks import Thunk

COMPILED = 16
"""For so many values of its integers a function is compiled."""
SMALL = 8
"""Elements of the largest vector of integers for whose values a function is compiled."""


def scipy_matrix(value: Any, form: str) -> Any:
    """A sparse matrix of JAX (what constants become) as one of scipy."""
    rows, columns = np.asarray(value.indices).T
    kind = scipy.sparse.csc_matrix if form == "csc" else scipy.sparse.csr_matrix
    return kind((np.asarray(value.data), (rows, columns)), shape=value.shape)


def _to_numpy(value: Any, variable: Any, own: bool) -> Any:
    """A value as `perform` takes it; `own`: in memory that it may write to."""
    dtype = getattr(variable.type, "dtype", None)
    if isinstance(variable.type, DenseTensorType):
        return np.array(value, dtype=dtype) if own else np.asarray(value, dtype=dtype)
    if isinstance(value, BCOO):
        return scipy_matrix(value, variable.type.format)
    if dtype is not None and isinstance(value, (jax.Array, np.ndarray, np.generic, int, float)):
        return np.asarray(value, dtype=dtype)[()]
    return value


def _to_jax(value: Any, variable: Any) -> Any:
    """What `perform` gave, as JAX takes it."""
    return jnp.asarray(value, dtype=variable.type.dtype) if isinstance(variable.type, DenseTensorType) else value


def by_perform(op: Any, node: Any, reason: Exception) -> Any:
    """A function that runs a node by its own thunk, outside of JAX."""
    thunk = Thunk(op, node)

    def run(*values: Any) -> Any:
        if traced(values):
            raise reason
        arrays = [_to_numpy(value, variable, place in thunk.destroyed) for place, (value, variable) in enumerate(zip(values, node.inputs))]
        results = [_to_jax(value, variable) for value, variable in zip(thunk(arrays), node.outputs)]
        return results[0] if len(results) == 1 else results

    return run


def can_perform(op: Any, node: Any) -> bool:
    """Whether a node may be run outside of JAX."""
    return node is not None and not automatic() and hasattr(op, "perform")


def convert(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """JAX's conversion of an Op; where there is none, one by its `perform`."""
    try:
        return jax_funcify(op, node=node, **kwargs)
    except NotImplementedError as refused:
        if not can_perform(op, node):
            raise
        warnings.warn("{}{}: it runs outside of JAX".format(node_origin.prefix(node), refused), stacklevel=2)
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


def _integers(fgraph: Any) -> list[int]:
    """Places of the inputs that are an integer or a vector of them."""
    small = [v for v in fgraph.inputs if getattr(v.type, "ndim", 9) <= 1 and str(getattr(v.type, "dtype", "")).startswith(("int", "uint"))]
    return [fgraph.inputs.index(v) for v in small]


class Unjitted:
    """A function of JAX that turns to less of a compilation where it must."""

    def __init__(self, fgraph: Any, function: Any, compiled: Any) -> None:
        self.function = function
        self.places = _integers(fgraph)
        self.by_integers: dict[Any, Any] = {}
        self.attempts = [compiled, self._for_these, self._step_by_step]

    def __call__(self, *values: Any) -> Any:
        *others, last = self.attempts
        reason: Any = None
        for place, attempt in enumerate(others):
            try:
                result = attempt(*values)
            except Exception as refused:
                reason = reason or refused
                continue
            self._keep_to(place, reason)
            return result
        result = last(*values)  # where this fails too the error is the script's
        self._keep_to(len(others), reason)
        return result

    def _keep_to(self, place: int, reason: Any) -> None:
        """What did not go well is not tried again."""
        if place:
            del self.attempts[:place]
            warnings.warn("JAX cannot compile a function as a whole: {}".format(str(reason).partition("\n")[0]), stacklevel=3)

    def _for_these(self, *values: Any) -> Any:
        """By a function that is compiled for these integers."""
        fixed = {place: np.asarray(values[place]) for place in self.places if np.size(values[place]) <= SMALL}
        key = tuple((place, value.shape, value.tobytes()) for place, value in fixed.items())
        if not fixed or (key not in self.by_integers and len(self.by_integers) >= COMPILED):
            raise NotImplementedError
        if key not in self.by_integers:

            def function(*others: Any) -> Any:
                rest = iter(others)
                return self.function(*(fixed[i] if i in fixed else next(rest) for i in range(len(values))))

            self.by_integers[key] = jax.jit(function)
        return self.by_integers[key](*(v for i, v in enumerate(values) if i not in fixed))

    def _step_by_step(self, *values: Any) -> Any:
        """Op by Op; random states come out as they went in."""
        arrays = (jnp.asarray(v) if isinstance(v, (np.ndarray, np.generic)) and v.dtype.kind in "biufc" else v for v in values)
        return jax.tree_util.tree_map(lambda x: x, self.function(*arrays))


def unjitted(fgraph: Any, function: Any, compiled: Any) -> Any:
    """A compiled function that may turn to less of a compilation."""
    return compiled if automatic() else Unjitted(fgraph, function, compiled)
