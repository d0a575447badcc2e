"""theano.tensor.sort."""

from ...ops.sorting import ArgSortOp, SortOp, argsort, sort
from ...ops.topk import TopKOp, argtopk, topk, topk_and_argtopk

__all__ = ["ArgSortOp", "SortOp", "TopKOp", "argsort", "argtopk", "sort", "topk", "topk_and_argtopk"]
