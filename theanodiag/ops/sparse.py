"""Catalogue entries of Ops that make sparse matrices. Sources: Theano 1.0.5 sparse/basic.py; PyTensor 3.3.7 sparse/basic.py."""

from __future__ import annotations

from .spec import alike

OPS = (*alike("AddSS CSM EnsureSortedIndices HStack MulSD MulSS SparseFromDense StructuredAddSV VStack", makes_sparse=True),)
"""The entries of this family."""
