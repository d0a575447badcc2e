"""Serves `theano.tensor.sort` from this layer's ops/sorting.py and ops/topk.py."""

from ...ops.sorting import ArgSortOp, SortOp, argsort, sort
from ...ops.topk import TopKOp, argtopk, topk, topk_and_argtopk

__all__ = ["ArgSortOp", "SortOp", "TopKOp", "argsort", "argtopk", "sort", "topk", "topk_and_argtopk"]
