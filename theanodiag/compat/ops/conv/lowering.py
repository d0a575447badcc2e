"""The rewrite of Theano's conv_gemm: in an optimised graph the abstract convolutions become correlations."""

from typing import Any

from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.rewriting.basic import register_specialize

from ..op import restored
from .abstract import AbstractConv, AbstractConv_gradInputs, AbstractConv_gradWeights
from .base import flipped
from .corr import CORRELATIONS


def _correlation(op: Any, kind: str) -> Any:
    """The correlation with the options of an abstract convolution; None where there is none."""
    options = {"num_groups": op.num_groups}
    if op.convdim == 2:
        options["unshared"] = op.unshared
    return CORRELATIONS[op.convdim, kind](op.border_mode, op.subsample, op.filter_dilation, **options)


def _replaced(node: Any, value: Any) -> Any:
    value = restored(value, node.outputs[0])
    copy_stack_trace(node.outputs[0], value)
    return [value]


@register_specialize
@node_rewriter([AbstractConv])
def local_abstractconv_gemm(fgraph: Any, node: Any) -> Any:
    """Images with filters."""
    images, filters = node.inputs
    if images.dtype != filters.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "forward")(images, filters))


@register_specialize
@node_rewriter([AbstractConv_gradWeights])
def local_abstractconv_gradweight_gemm(fgraph: Any, node: Any) -> Any:
    """Gradient of the filters."""
    images, top, shape = node.inputs
    if images.dtype != top.dtype:
        return None
    filters = _correlation(node.op, "weights")(images, top, shape)
    return _replaced(node, flipped(filters, node.op.convdim) if node.op.filter_flip else filters)


@register_specialize
@node_rewriter([AbstractConv_gradInputs])
def local_abstractconv_gradinputs_gemm(fgraph: Any, node: Any) -> Any:
    """Gradient of the images."""
    filters, top, shape = node.inputs
    if filters.dtype != top.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "inputs")(filters, top, shape))
