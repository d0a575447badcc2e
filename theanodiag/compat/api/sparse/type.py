"""Serves `theano.sparse.type` from PyTensor's SparseTensorType."""

from pytensor.sparse.type import SparseTensorType as SparseType
from pytensor.sparse.type import _is_sparse
