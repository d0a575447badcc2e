"""theano.sparse.type."""

from pytensor.sparse.type import SparseTensorType as SparseType
from pytensor.sparse.type import _is_sparse
