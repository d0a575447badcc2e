"""Sparse matrices and their parts; the number of entries depends on data and is Unknown.

Sources: Theano 1.0.5 sparse/basic.py, sparse/opt.py, sparse/sandbox/sp2.py; PyTensor 3.3.7 sparse/basic.py, sparse/math.py,
sparse/rewriting.py: `infer_shape`, and `perform` where there is none.
"""

from __future__ import annotations

from .dtypes import as_input, first_and
from .spec import OpSpec, alike

OPS = (
    *alike("AddSS HStack MulSD MulSS StructuredAddSV VStack", makes_sparse=True),
    *alike("CSM EnsureSortedIndices SparseFromDense", makes_sparse=True, dtype=as_input(0)),
    OpSpec("CSMProperties", dtype=first_and("int32")),
    *alike("DenseFromSparse GetItem2d Transpose", dtype=as_input(0)),
)  # fmt: skip
"""The entries of this family."""
