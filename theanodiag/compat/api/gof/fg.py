"""Serves `theano.gof.fg` from pytensor.graph.fg."""

from pytensor.graph.fg import FunctionGraph
from pytensor.graph.utils import InconsistencyError, MissingInputError


class CachedConstantError(Exception):
    """Theano's error for a cached constant in a FunctionGraph; never raised, PyTensor has no such cache."""
