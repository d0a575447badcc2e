"""Theano's rewrite `conv_gemm`: replaces abstract convolutions by CorrMM and Corr3dMM."""

from typing import Any

from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.rewriting.basic import register_specialize

from ..op import restored
from .abstract import AbstractConv, AbstractConv_gradInputs, AbstractConv_gradWeights
from .base import flipped
from .corr import CORRELATIONS


def _correlation(op: Any, kind: str) -> Any:
    """The CorrMM or Corr3dMM Op of direction `kind` with the options of the abstract convolution `op`."""
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
    """AbstractConv -> CorrMM or Corr3dMM, with flipped filters where `filter_flip`; only where the dtypes are equal."""
    images, filters = node.inputs
    if images.dtype != filters.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "forward")(images, filters))


@register_specialize
@node_rewriter([AbstractConv_gradWeights])
def local_abstractconv_gradweight_gemm(fgraph: Any, node: Any) -> Any:
    """AbstractConv_gradWeights -> CorrMM_gradWeights or Corr3dMM_gradWeights; only where the dtypes are equal."""
    images, top, shape = node.inputs
    if images.dtype != top.dtype:
        return None
    filters = _correlation(node.op, "weights")(images, top, shape)
    return _replaced(node, flipped(filters, node.op.convdim) if node.op.filter_flip else filters)


@register_specialize
@node_rewriter([AbstractConv_gradInputs])
def local_abstractconv_gradinputs_gemm(fgraph: Any, node: Any) -> Any:
    """AbstractConv_gradInputs -> CorrMM_gradInputs or Corr3dMM_gradInputs; only where the dtypes are equal."""
    filters, top, shape = node.inputs
    if filters.dtype != top.dtype:
        return None
    filters = flipped(filters, node.op.convdim) if node.op.filter_flip else filters
    return _replaced(node, _correlation(node.op, "inputs")(filters, top, shape))
