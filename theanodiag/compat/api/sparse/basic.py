"""Serves `theano.sparse.basic` from the modules basic, math and variable of pytensor.sparse, where some names are spelled differently."""

from functools import wraps
from typing import Any, Callable

import pytensor.scalar as ps
from pytensor.sparse import basic as _basic
from pytensor.sparse import math as _math
from pytensor.sparse import rewriting as _rewriting
from pytensor.sparse import variable as _variable
from pytensor.sparse.type import SparseTensorType as SparseType

from ...ops.sparse import Neg, SquareDiagonal, neg, square_diagonal
from ...pytensor_versions import sparse_names

enable_sparse = True
imported_scipy = True
constant = _variable.constant


def structured_monoid(tensor_op: Any) -> Callable[..., Any]:
    """Returns a decorator that replaces a function by one that applies `tensor_op` to the stored elements of a csr or csc matrix."""

    def decorator(f: Any) -> Any:
        @wraps(f)
        def wrapper(*args: Any) -> Any:
            x = _basic.as_sparse_variable(args[0])
            assert x.format in ("csr", "csc")
            data, indices, indptr, shape = _basic.csm_properties(x)
            return _basic.CSM(x.format)(tensor_op(data, *[ps.as_scalar(arg) for arg in args[1:]]), indices, indptr, shape)

        return wrapper

    return decorator


def sgn(x: Any) -> Any:
    """Returns the sign of each stored element."""
    return _math.sign(x)


def conj(x: Any) -> Any:
    """Returns the complex conjugate of each stored element."""
    return _math.conjugate(x)


def __getattr__(name: str) -> Any:
    """Any other name, from pytensor.sparse's math, basic or variable module, in any of its spellings."""
    if not name.startswith("__"):
        for module in (_math, _basic, _variable):
            for spelled in sparse_names(name):
                if hasattr(module, spelled):
                    return getattr(module, spelled)
    raise AttributeError(name)


def _rewrite(name: str) -> Any:
    """A name from pytensor.sparse.rewriting, in any of its spellings: serves `theano.sparse.opt`."""
    if not name.startswith("__"):
        for spelled in sparse_names(name):
            if hasattr(_rewriting, spelled):
                return getattr(_rewriting, spelled)
    raise AttributeError(name)
