"""Sparse Ops of `theano.sparse` and `theano.sparse.sandbox.sp2` (Theano 1.0.5) that PyTensor lacks or has only as functions."""

from typing import Any, List

import numpy as np
import pytensor.tensor as pt
import scipy.sparse
from pytensor.gradient import disconnected_type, grad_undefined
from pytensor.graph.basic import Apply
from pytensor.sparse.basic import _is_sparse, as_sparse_variable
from pytensor.sparse.basic import diag as sparse_diag
from pytensor.sparse.type import SparseTensorType
from pytensor.tensor.type import discrete_dtypes, float_dtypes

from .op import LegacyOp


class Neg(LegacyOp):
    """Negative of a sparse matrix."""

    __props__ = ()

    def __str__(self) -> str:
        return "SparseNeg"

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for a csr or csc matrix."""
        x = as_sparse_variable(x)
        assert x.format in ("csr", "csc")
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Negates the scipy matrix."""
        assert _is_sparse(inputs[0])
        output_storage[0][0] = -inputs[0]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the negative of the output's gradient."""
        return [neg(cotangents[0])]

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the input."""
        return [shapes[0]]


neg = Neg()


class SquareDiagonal(LegacyOp):
    """Square csc matrix with a vector on its diagonal."""

    __props__ = ()

    def make_node(self, diag: Any) -> Apply:
        """Makes the Apply node for a vector. Raises TypeError for another rank."""
        diag = pt.as_tensor_variable(diag)
        if diag.type.ndim != 1:
            raise TypeError("data argument must be a vector", diag.type)
        return Apply(self, [diag], [SparseTensorType(dtype=diag.dtype, format="csc")()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Builds a scipy csc_matrix."""
        n = len(inputs[0])
        output_storage[0][0] = scipy.sparse.csc_matrix((inputs[0], np.arange(n), np.arange(n + 1)), shape=(n, n), copy=True)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns the diagonal of the output's gradient."""
        return [sparse_diag(cotangents[0])]

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns (n, n) for a vector of length n."""
        return [(shapes[0][0], shapes[0][0])]


square_diagonal = SquareDiagonal()


class _Draw(LegacyOp):
    """Base class of Ops that draw from numpy's global generator: they have no gradient and are not folded to constants."""

    __props__: Any = ()

    def do_constant_folding(self, fgraph: Any, node: Apply) -> bool:
        """Always False: each call draws new values."""
        return False

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns undefined gradients for every input."""
        return [grad_undefined(self, i, x, "No gradient exists for " + type(self).__name__) for i, x in enumerate(inputs)]


class Poisson(_Draw):
    """Poisson draws whose means are the stored elements of a sparse matrix."""

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node for the sparse matrix `x` of means."""
        x = as_sparse_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.random.poisson on the stored elements and drops zeros."""
        x = inputs[0]
        assert _is_sparse(x)
        assert x.format in ("csr", "csc")
        out = x.copy()
        out.data = np.asarray(np.random.poisson(out.data), dtype=x.dtype)
        out.eliminate_zeros()
        output_storage[0][0] = out

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the means."""
        return list(shapes)


class Binomial(_Draw):
    """Sparse matrix of binomial draws: numbers of successes in `n` trials of probability `p`."""

    __props__ = ("format", "dtype")

    def __init__(self, format: str, dtype: str) -> None:
        self.format = format
        self.dtype = dtype

    def make_node(self, n: Any, p: Any, shape: Any) -> Apply:
        """Makes the Apply node for the trials `n`, the probability `p` and the shape, a vector of two integers."""
        n, p, shape = (pt.as_tensor_variable(v) for v in (n, p, shape))
        assert n.dtype in discrete_dtypes
        assert p.dtype in float_dtypes
        assert shape.dtype in discrete_dtypes
        return Apply(self, [n, p, shape], [SparseTensorType(dtype=self.dtype, format=self.format)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.random.binomial and converts the dense result to `format`."""
        n, p, shape = inputs
        drawn = np.random.binomial(n, p, size=tuple(shape))
        output_storage[0][0] = getattr(scipy.sparse, self.format + "_matrix")(drawn, dtype=self.dtype)

    def connection_pattern(self, node: Apply) -> List[List[bool]]:
        """`n` and `p` are connected to the output, the shape is not."""
        return [[True], [True], [False]]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Returns undefined gradients for `n` and `p`, a disconnected one for the shape."""
        return [*super().pullback(inputs[:2], outputs, cotangents), disconnected_type()]

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the two elements of the input `shape`."""
        return [(node.inputs[2][0], node.inputs[2][1])]


class Multinomial(_Draw):
    """For each row of a csr matrix of probabilities, how often each stored column is drawn in `n` trials."""

    def make_node(self, n: Any, p: Any) -> Apply:
        """Makes the Apply node for the trials `n`, a scalar or one for each row, and the sparse matrix `p` of probabilities."""
        n, p = pt.as_tensor_variable(n), as_sparse_variable(p)
        assert p.format in ("csr", "csc")
        return Apply(self, [n, p], [p.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Calls numpy.random.multinomial for each row.

        NotImplementedError for csc, ValueError if `n` is a vector with another length than `p` has rows.
        """
        n, p = inputs
        assert _is_sparse(p)
        if p.format != "csr":
            raise NotImplementedError
        if n.ndim == 1 and n.shape[0] != p.shape[0]:
            raise ValueError("The number of element of n must be the same as the number of row of p.")
        out = p.copy()
        for i, trials in enumerate(np.broadcast_to(n, (p.shape[0],))):
            row = slice(p.indptr[i], p.indptr[i + 1])
            out.data[row] = np.random.multinomial(trials, p.data[row])
        output_storage[0][0] = out

    def output_shapes(self, node: Apply, shapes: Any) -> List[Any]:
        """Returns the shape of the probabilities."""
        return [shapes[1]]


poisson = Poisson()
multinomial = Multinomial()
csr_fbinomial, csc_fbinomial = (Binomial(format, "float32") for format in ("csr", "csc"))
csr_dbinomial, csc_dbinomial = (Binomial(format, "float64") for format in ("csr", "csc"))
