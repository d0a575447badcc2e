"""Serves `theano.compile.ops` from pytensor.compile.ops, with Theano's `as_op` and Rebroadcast."""

from typing import Any

from pytensor.compile.ops import FromFunctionOp
from pytensor.compile.ops import as_op as _as_op

from ...behaviour.user_ops import adapt_infer_shape_function
from ...ops.arrays import Rebroadcast


def as_op(itypes: Any, otypes: Any, infer_shape: Any = None) -> Any:
    """Decorator that makes an Op of a function on arrays; `infer_shape` is a function of (node, shapes of the inputs)."""
    return _as_op(itypes, otypes, adapt_infer_shape_function(infer_shape))
