"""Converts JAX's results to writable numpy arrays, in returned values and in `get_value`, as legacy scripts expect."""

from typing import Any

import jax
import numpy as np
from jax.experimental.sparse import BCOO
from pytensor.compile.sharedvalue import SharedVariable, shared_constructor
from pytensor.link.jax.linker import JAXLinker
from pytensor.tensor.type import DenseTensorType

from .base import of_type
from .conditions import Checked
from .exact import exact
from .slices import _jit_compile as _jit_compile_slices
from .unjitted import Unjitted, scipy_matrix

_plain_get_value = SharedVariable.get_value


def _get_value(self: Any, borrow: bool = False, return_internal_type: bool = False) -> Any:
    value = self.container.value
    if isinstance(value, jax.Array) and not return_internal_type:
        return np.array(value)
    return _plain_get_value(self, borrow=borrow, return_internal_type=return_internal_type)


SharedVariable.get_value = _get_value


@shared_constructor.register(jax.Array)
def _shared(value: Any, *args: Any, **kwargs: Any) -> Any:
    return shared_constructor(np.array(value), *args, **kwargs)


def _typed(fgraph: Any, function: Any) -> Any:
    """`function` with its outputs converted to the dtypes of the graph: a float32 shared variable turned float64 would need twice the
    memory."""
    dtypes = [output.type.dtype if isinstance(output.type, DenseTensorType) else None for output in fgraph.outputs]

    def run(*values: Any) -> Any:
        outputs = function(*values)
        return outputs and tuple(of_type(output, dtype) if dtype else output for output, dtype in zip(outputs, dtypes))

    return run


def _jit_compile(self: Any, fn: Any) -> Any:
    """A compiled function whose returned outputs are numpy arrays; new values of shared variables stay JAX arrays."""
    checked = Checked()

    def whole(function: Any) -> Any:
        """Returns `function`, made from the graph or from a copy of it, in the form that is passed to JAX."""
        traced: Any = exact(checked.returning(_typed(self.fgraph, function)))
        traced.whole = whole  # used by agent/measure/jax_calls.py for another copy of the graph
        return traced

    function = whole(fn)
    compiled = Unjitted(self.fgraph, function, _jit_compile_slices(self, function))
    kept = set(getattr(self.fgraph, "update_mapping", None) or ())
    returned = [place for place in range(len(self.fgraph.outputs)) if place not in kept]

    def run(*values: Any) -> Any:
        outputs = checked.outputs(compiled(*values))
        if outputs is None:
            return None
        result = list(outputs)
        for place in returned:
            if isinstance(result[place], BCOO):
                result[place] = scipy_matrix(result[place], self.fgraph.outputs[place].type.format)
            if isinstance(result[place], jax.Array) and not jax.dtypes.issubdtype(result[place].dtype, jax.dtypes.prng_key):
                result[place] = np.array(result[place])
        return tuple(result)

    return run


JAXLinker.jit_compile = _jit_compile
