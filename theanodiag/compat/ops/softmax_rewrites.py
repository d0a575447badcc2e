"""Rewrites of softmax and cross-entropy as in Theano: losses stay finite if a probability underflows to zero."""

from typing import Any, List, Tuple

import numpy as np
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.basic import Alloc, ARange, alloc, fill, get_underlying_scalar_constant_value, second, zeros_like
from pytensor.tensor.elemwise import DimShuffle
from pytensor.tensor.exceptions import NotScalarConstantError
from pytensor.tensor.math import Argmax, Sum, add, exp, log, mul, neg, true_div
from pytensor.tensor.math import sum as total
from pytensor.tensor.rewriting.basic import register_canonicalize, register_specialize, register_stabilize
from pytensor.tensor.rewriting.math import local_mul_canonizer
from pytensor.tensor.shape import shape_padleft
from pytensor.tensor.subtensor import AdvancedIncSubtensor, AdvancedSubtensor
from pytensor.tensor.type import float_dtypes

from .crossentropy import (
    CrossentropyCategorical1Hot,
    CrossentropySoftmax1HotWithBiasDx,
    crossentropy_categorical_1hot_grad,
    crossentropy_softmax_1hot_with_bias_dx,
    crossentropy_softmax_argmax_1hot_with_bias,
)
from .softmax import SoftmaxGrad, logsoftmax_op, softmax_op, softmax_with_bias


def _node_of(variable: Any, *ops: Any) -> Any:
    """The node that computes `variable` if its Op is one of `ops`, else None."""
    return variable.owner if variable.owner is not None and variable.owner.op in ops else None


def _is_output_of(variable: Any, kind: Any) -> bool:
    return variable.owner is not None and isinstance(variable.owner.op, kind)


def _is_constant(variable: Any, value: float) -> bool:
    try:
        return bool(np.all(get_underlying_scalar_constant_value(variable) == value))
    except NotScalarConstantError:
        return False


def _bias_of(x: Any) -> Any:
    """(rest, vector) if the matrix `x` is a sum with a vector added to each row; else None."""
    node = _node_of(x, add)
    if node is None:
        return None
    vectors, others = [], []
    for term in node.inputs:
        if tuple(term.type.broadcastable) != (True, False):
            others.append(term)
        elif _is_output_of(term, DimShuffle) and tuple(term.owner.inputs[0].type.broadcastable) == (False,):
            vectors.append(term.owner.inputs[0])
        else:
            vectors.append(term.dimshuffle(1))
    if not others and vectors:
        others.append(shape_padleft(vectors.pop()))
    if not vectors:
        return None
    return add(*others) if len(others) > 1 else others[0], add(*vectors) if len(vectors) > 1 else vectors[0]


def _scores(softmax: Any) -> Any:
    """(x, b) such that `softmax` is softmax(x + b); b is zeros if there is no bias."""
    if softmax.owner.op == softmax_with_bias:
        return tuple(softmax.owner.inputs)
    (x,) = softmax.owner.inputs
    return _bias_of(x) or (x, zeros_like(x[0]))


def softmax_simplifier(numerators: List[Any], denominators: List[Any]) -> Tuple[List[Any], List[Any]]:
    """Rewrites exp(x) / sum(exp(x), axis=1), anywhere in a product of quotients, to softmax(x)."""
    for numerator in list(numerators):
        if numerator.ndim != 2 or _node_of(numerator, exp) is None or numerator.dtype not in float_dtypes:
            continue
        for denominator in denominators:
            column = denominator.owner
            if column is None or not isinstance(column.op, DimShuffle) or tuple(column.op.new_order) != (0, "x"):
                continue
            sums = column.inputs[0].owner
            if sums is not None and isinstance(sums.op, Sum) and sums.op.axis == (1,) and sums.inputs[0] is numerator:
                softmax = softmax_op(numerator.owner.inputs[0])
                copy_stack_trace(numerator, softmax)
                numerators.remove(numerator)
                denominators.remove(denominator)
                numerators.append(softmax)
                break
    return numerators, denominators


@register_canonicalize
@node_rewriter([Sum])
def local_sum_div_dimshuffle(fgraph: Any, node: Any) -> Any:
    """Rewrites sum(a / b) to sum(a) / b where b is repeated along the summed axes, as in the gradient of a quotient that becomes
    a softmax.
    """
    value, filled = node.inputs[0], []
    while _node_of(value, second):
        filled.append(value.owner.inputs[0])
        value = value.owner.inputs[1]
    quotient = _node_of(value, true_div)
    if quotient is None or not _is_output_of(quotient.inputs[1], DimShuffle):  # softmax_simplifier first divides a product
        return None
    numerator, denominator = quotient.inputs
    axes = range(value.ndim) if node.op.axis is None else node.op.axis
    if not all(denominator.type.broadcastable[axis] for axis in axes):
        return None
    for like in reversed(filled):
        numerator = second(like, numerator)
    result = node.op(numerator) / denominator.squeeze(tuple(axes))
    copy_stack_trace(node.outputs[0], result)
    return [result] if result.type.dtype == node.outputs[0].type.dtype else None


local_mul_canonizer.add_simplifier(softmax_simplifier, "softmax_simplifier")


@register_specialize("stabilize", "fast_compile")
@register_stabilize("fast_compile", name="local_logsoftmax_of_rows")  # PyTensor has a rewrite local_logsoftmax
@node_rewriter([log])
def local_logsoftmax(fgraph: Any, node: Any) -> Any:
    """Rewrites log(softmax(x)) to logsoftmax(x)."""
    softmax = _node_of(node.inputs[0], softmax_op)
    if softmax is None:
        return None
    result = logsoftmax_op(softmax.inputs[0])
    copy_stack_trace([node.inputs[0], node.outputs[0]], result)
    return [result]


@register_specialize("stabilize", "fast_compile")
@register_stabilize("fast_compile")
@node_rewriter([SoftmaxGrad])
def local_logsoftmax_grad(fgraph: Any, node: Any) -> Any:
    """Rewrites the gradient of log(softmax(x)) to a form that does not divide by probabilities."""
    quotient, sm = _node_of(node.inputs[0], true_div), node.inputs[1]
    if quotient is None or quotient.inputs[1] is not sm or _node_of(sm, softmax_op) is None:
        return None
    gradient = quotient.inputs[0]
    if _is_output_of(gradient, AdvancedIncSubtensor):
        return None  # handled by local_advanced_indexing_crossentropy_onehot_grad
    if gradient.type.broadcastable[1] and not sm.type.broadcastable[1]:
        gradient = alloc(gradient, gradient.shape[0], sm.shape[1])
    result = gradient - total(gradient, axis=1, keepdims=True) * sm
    copy_stack_trace(node.outputs[0], result)
    return [result]


@register_specialize("fast_compile")
@node_rewriter([softmax_op])
def local_softmax_with_bias(fgraph: Any, node: Any) -> Any:
    """Rewrites softmax(x + b) to softmax_with_bias(x, b)."""
    parts = _bias_of(node.inputs[0])
    if parts is None or parts[0].ndim != 2:
        return None
    result = softmax_with_bias(*parts)
    copy_stack_trace(node.outputs[0], result)
    return [result] if result.type == node.outputs[0].type else None


@register_stabilize("fast_compile")
@register_specialize("fast_compile")
@node_rewriter([CrossentropyCategorical1Hot])
def crossentropy_to_crossentropy_with_softmax_with_bias(fgraph: Any, node: Any) -> Any:
    """Rewrites the cross-entropy of a softmax to CrossentropySoftmaxArgmax1HotWithBias of the scores, which computes loss and softmax."""
    softmax, classes = node.inputs
    if _node_of(softmax, softmax_op, softmax_with_bias) is None:
        return None
    loss, new_softmax, _ = crossentropy_softmax_argmax_1hot_with_bias(*_scores(softmax), classes)
    copy_stack_trace(node.outputs[0], [loss, new_softmax])
    if softmax.type == new_softmax.type and softmax.owner in fgraph.apply_nodes:
        return {node.outputs[0]: loss, softmax: new_softmax}
    return [loss]


crossentropy_to_crossentropy_with_softmax = crossentropy_to_crossentropy_with_softmax_with_bias


@register_specialize("fast_compile")
@node_rewriter([SoftmaxGrad])
def local_softmax_grad_to_crossentropy_with_softmax_grad(fgraph: Any, node: Any) -> Any:
    """Rewrites SoftmaxGrad of CrossentropyCategorical1HotGrad to CrossentropySoftmax1HotWithBiasDx."""
    gradient, softmax = node.inputs
    inner = _node_of(gradient, crossentropy_categorical_1hot_grad)
    if inner is None:
        return None
    result = crossentropy_softmax_1hot_with_bias_dx(inner.inputs[0], softmax, inner.inputs[2])
    copy_stack_trace(node.outputs[0], result)
    return [result]


def _indexed(node: Any, kind: Any) -> Any:
    """The inputs of `node` if it indexes with two vectors (rows, classes) and its Op is an instance of `kind`, else None."""
    if node is None or not isinstance(node.op, kind):
        return None
    before = 2 if kind is AdvancedIncSubtensor else 1
    if len(node.inputs) != before + 2 or tuple(getattr(node.op, "idx_list", (0, 1))) != (0, 1):
        return None
    return node.inputs if node.inputs[-1].ndim == 1 else None


def _goes_through_rows(fgraph: Any, rows: Any, classes: Any) -> bool:
    """Whether `rows` is arange(length of `classes`), or 0 if that length is 1."""
    feature = getattr(fgraph, "shape_feature", None)
    if feature is not None and _is_constant(feature.shape_of[classes][0] if classes in feature.shape_of else classes.shape[0], 1):
        return _is_constant(rows, 0)
    if not _is_output_of(rows, ARange):
        return False
    start, stop, step = rows.owner.inputs
    if not (_is_constant(start, 0) and _is_constant(step, 1)):
        return False
    if feature is not None and rows in feature.shape_of and classes in feature.shape_of:
        return bool(feature.same_shape(rows, classes))
    while stop.owner is not None and len(stop.owner.inputs) == 1 and stop.ndim == 0:
        if getattr(stop.owner.op, "i", None) == 0 and stop.owner.inputs[0] is classes:
            return True
        stop = stop.owner.inputs[0]
    return False


@register_specialize("fast_compile")
@node_rewriter([AdvancedSubtensor, log])
def local_advanced_indexing_crossentropy_onehot(fgraph: Any, node: Any) -> Any:
    """Rewrites log(softmax(x))[arange(n), y] or log(softmax(x)[arange(n), y]) to minus the cross-entropy of the scores."""
    if node.op == log:
        indexed = _indexed(node.inputs[0].owner, AdvancedSubtensor)
        softmax = indexed[0] if indexed else None
    else:
        indexed = _indexed(node, AdvancedSubtensor)
        logarithm = _node_of(indexed[0], log) if indexed else None
        softmax = logarithm.inputs[0] if logarithm else None
        if indexed and softmax is None and _node_of(indexed[0], logsoftmax_op):
            (x,) = indexed[0].owner.inputs
            return _loss(fgraph, node, _bias_of(x) or (x, zeros_like(x[0])), *indexed[1:])
    if softmax is None or _node_of(softmax, softmax_op, softmax_with_bias) is None:
        return None
    return _loss(fgraph, node, _scores(softmax), *indexed[1:])


def _loss(fgraph: Any, node: Any, scores: Any, rows: Any, classes: Any) -> Any:
    x, b = scores
    if x.ndim != 2 or b.ndim != 1 or not _goes_through_rows(fgraph, rows, classes):
        return None
    result = -crossentropy_softmax_argmax_1hot_with_bias(x, b, classes)[0]
    copy_stack_trace(node.outputs[0], result)
    return [result] if result.dtype == node.outputs[0].dtype else None


def _per_row(variable: Any) -> bool:
    return bool(variable.ndim == 1 or all(variable.type.broadcastable))


def _gradient_of_loss(increment: Any, softmax: Any, rows: Any, classes: Any) -> Any:
    """`out` such that `increment` is -out / softmax[rows, classes]; None if `increment` has another form."""
    sign = 1.0
    if _node_of(increment, neg):
        sign, increment = -sign, increment.owner.inputs[0]
    quotient = _node_of(increment, true_div)
    if quotient is None or not _per_row(quotient.inputs[0]):
        return None
    result, denominator = quotient.inputs[0] * -sign, quotient.inputs[1]
    factors = denominator.owner.inputs if _node_of(denominator, mul) else [denominator]
    for place, factor in enumerate(factors):
        indexed = _indexed(factor.owner, AdvancedSubtensor)
        if indexed and indexed[0] is softmax and indexed[1] is rows and indexed[2] is classes:
            for other in factors[:place] + factors[place + 1 :]:
                if not _per_row(other):
                    return None
                result = result / other
            return result
    return None


@register_specialize("fast_compile")
@node_rewriter([SoftmaxGrad])
def local_advanced_indexing_crossentropy_onehot_grad(fgraph: Any, node: Any) -> Any:
    """Rewrites the gradients of the two forms that local_advanced_indexing_crossentropy_onehot matches to a form that does not
    divide by probabilities.
    """
    gradient, softmax = node.inputs
    if _node_of(softmax, softmax_op, softmax_with_bias) is None:
        return None
    indexed = _indexed(gradient.owner, AdvancedIncSubtensor)
    if indexed:  # of log(softmax(x)[rows, classes])
        out = _gradient_of_loss(indexed[1], softmax, indexed[2], indexed[3])
    else:  # of log(softmax(x))[rows, classes]
        quotient = _node_of(gradient, true_div)
        if quotient is None or quotient.inputs[1] is not softmax:
            return None
        indexed = _indexed(quotient.inputs[0].owner, AdvancedIncSubtensor)
        if not indexed or indexed[1].dtype not in float_dtypes:
            return None
        out = -indexed[1]
    if out is None or gradient.owner is None or not _is_constant(indexed[0], 0):
        return None
    if not _goes_through_rows(fgraph, indexed[2], indexed[3]):
        return None
    out = fill(softmax[:, 0], out) if all(out.type.broadcastable) else out
    result = crossentropy_softmax_1hot_with_bias_dx(out, softmax, indexed[3])
    copy_stack_trace(node.outputs[0], result)
    return [result]


@register_specialize("fast_compile")
@node_rewriter([softmax_with_bias])
def graph_merge_softmax_with_crossentropy_softmax(fgraph: Any, node: Any) -> Any:
    """Takes softmax(x + b) from an existing CrossentropySoftmaxArgmax1HotWithBias of the same x and b."""
    x, b = node.inputs
    for client, _ in fgraph.clients[x]:
        if client.op == crossentropy_softmax_argmax_1hot_with_bias and client.inputs[0] is x and client.inputs[1] is b:
            return [client.op(x, b, client.inputs[2])[1]]
    return None


@register_specialize
@register_stabilize
@register_canonicalize
@node_rewriter([CrossentropySoftmax1HotWithBiasDx])
def local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc(fgraph: Any, node: Any) -> Any:
    """Passes on a scalar gradient directly if an Alloc repeated it for each row."""
    dy, softmax, classes = node.inputs
    if dy.ndim == 0 or all(dy.type.broadcastable) or not _is_output_of(dy, Alloc):
        return None
    value = dy.owner.inputs[0]
    feature = getattr(fgraph, "shape_feature", None)
    if feature is None or not all(value.type.broadcastable) or not feature.same_shape(softmax, dy, 0, 0):
        return None
    result = node.op(value, softmax, classes)
    copy_stack_trace(node.outputs[0], result)
    return [result]


@register_specialize("fast_compile")
@node_rewriter([Argmax])
def local_argmax_pushdown(fgraph: Any, node: Any) -> Any:
    """Rewrites argmax(softmax(x), axis=1) to argmax(x, axis=1); a bias is added to x first."""
    softmax = _node_of(node.inputs[0], softmax_op, softmax_with_bias)
    if softmax is None or node.op.axis is None or tuple(node.op.axis) != (1,):
        return None
    scores = softmax.inputs[0]
    if softmax.op == softmax_with_bias:
        scores = scores + softmax.inputs[1].dimshuffle("x", 0)
    result = node.op(scores)
    copy_stack_trace(node.outputs[0], result)
    return [result]
