"""`theano.gof.fg`."""

from pytensor.graph.fg import FunctionGraph
from pytensor.graph.utils import InconsistencyError, MissingInputError


class CachedConstantError(Exception):
    """Was raised for a constant of Theano's cache in a graph; PyTensor has no such cache."""
