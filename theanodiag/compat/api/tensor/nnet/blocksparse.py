"""Serves `theano.tensor.nnet.blocksparse` from this layer's ops/blocksparse.py."""

from ....ops.blocksparse import (
    SparseBlockGemv,
    SparseBlockOuter,
    sparse_block_dot,
    sparse_block_gemv,
    sparse_block_gemv_inplace,
    sparse_block_outer,
    sparse_block_outer_inplace,
)
