"""Products with selected blocks of a block matrix (`theano.tensor.nnet.blocksparse`), `h_softmax`, which uses them, and
`confusion_matrix`."""

from typing import Any

import numpy as np
from pytensor.compile.mode import optdb
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.rewriting.basic import copy_stack_trace, in2out, node_rewriter
from pytensor.tensor.basic import arange, as_tensor_variable, concatenate, constant, zeros, zeros_like
from pytensor.tensor.extra_ops import Unique
from pytensor.tensor.math import dot, eq, tensordot
from pytensor.tensor.type import discrete_dtypes

from .op import LegacyOp
from .softmax import softmax


class _BlockOp(LegacyOp):
    """Base class of SparseBlockGemv and SparseBlockOuter, which add to their first input: in place if `inplace`, else to a copy."""

    __props__ = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace
        if inplace:
            self.destroy_map = {0: [0]}

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the shape of the first input."""
        return [shapes[0]]


class SparseBlockGemv(_BlockOp):
    """o[b, j] + the sum over i of h[b, i] @ W[inputIdx[b, i], outputIdx[b, j]]; in place on `o` where `inplace`."""

    def make_node(self, o: Any, W: Any, h: Any, inputIdx: Any, outputIdx: Any) -> Apply:
        """Makes the Apply node for float tensors and integer index matrices.

        Shapes: o (batch, chosen output blocks, output size); W (input blocks, output blocks, input size, output size); h (batch, chosen
        input blocks, input size); inputIdx and outputIdx (batch, chosen blocks).
        """
        o, W, h, inputIdx, outputIdx = (as_tensor_variable(v) for v in (o, W, h, inputIdx, outputIdx))
        for name, variable, ndim in (("output o", o, 3), ("weight matrix W", W, 4), ("input h", h, 3)):
            if variable.ndim != ndim:
                raise TypeError("The {} must be a {}D tensor".format(name, ndim))
        for name, variable in (("input indices inputIdx", inputIdx), ("output indices outputIdx", outputIdx)):
            if variable.ndim != 2:
                raise TypeError("The {} must be a 2D tensor".format(name))
            if variable.type.dtype not in discrete_dtypes:
                raise AssertionError("The {} must be integers, got {}".format(name, variable.type.dtype))
        return Apply(self, [o, W, h, inputIdx, outputIdx], [o.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """One einsum over all chosen blocks for each element of the batch."""
        o, W, h, sources, targets = inputs
        result = o if self.inplace else o.copy()
        for b in range(len(o)):
            blocks = W[sources[b][:, None], targets[b][None, :]]  # (input blocks, output blocks, size in, size out)
            result[b] += np.einsum("im,ijmn->jn", h[b], blocks, optimize=True)
        output_storage[0][0] = result

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of W by SparseBlockOuter and of h by SparseBlockGemv with transposed blocks; indices have no gradient."""
        _, W, h, sources, targets = inputs
        (g,) = cotangents
        d_W = SparseBlockOuter(self.inplace)(zeros_like(W), h, g, sources, targets)
        d_h = SparseBlockGemv(self.inplace)(zeros_like(h), W.dimshuffle(1, 0, 3, 2), g, targets, sources)
        undefined = [grad_undefined(self, i, inputs[i], "indices have no gradient") for i in (3, 4)]
        return [g, d_W, d_h, *undefined]


class SparseBlockOuter(_BlockOp):
    """Adds outer products to blocks: o[xIdx[b, i], yIdx[b, j]] += outer(x[b, i], y[b, j]); in place on `o` where `inplace`."""

    def make_node(self, o: Any, x: Any, y: Any, xIdx: Any, yIdx: Any, alpha: Any = None) -> Apply:
        """Makes the Apply node for float tensors and integer index matrices; `alpha` is an input as in Theano, but is not used.

        Shapes: o (input blocks, output blocks, input size, output size); x (batch, chosen input blocks, input size); y (batch, chosen
        output blocks, output size); xIdx and yIdx (batch, chosen blocks).
        """
        alpha = constant(np.asarray(1.0, dtype="float32")) if alpha is None else as_tensor_variable(alpha)
        variables = [as_tensor_variable(v) for v in (o, x, y, xIdx, yIdx)]
        return Apply(self, [*variables, alpha], [variables[0].type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Computes all outer products at once; those of a block that is chosen several times add up."""
        o, x, y, rows, columns, _ = inputs
        result = o if self.inplace else o.copy()
        products = x[:, :, None, :, None] * y[:, None, :, None, :]
        np.add.at(result, (rows[:, :, None], columns[:, None, :]), products.astype(result.dtype, copy=False))
        output_storage[0][0] = result

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradients of x and y by SparseBlockGemv; indices and alpha have no gradient."""
        _, x, y, rows, columns, _ = inputs
        (g,) = cotangents
        d_x = SparseBlockGemv()(zeros_like(x), g.dimshuffle(1, 0, 3, 2), y, columns, rows)
        d_y = SparseBlockGemv()(zeros_like(y), g, x, rows, columns)
        return [g, d_x, d_y, *(grad_undefined(self, i, inputs[i], "has no gradient") for i in (3, 4, 5))]


sparse_block_gemv = SparseBlockGemv(False)
sparse_block_gemv_inplace = SparseBlockGemv(True)
sparse_block_outer = SparseBlockOuter(False)
sparse_block_outer_inplace = SparseBlockOuter(True)


@node_rewriter([sparse_block_gemv, sparse_block_outer], inplace=True)
def local_inplace_sparse_block(fgraph: Any, node: Any) -> Any:
    """Makes SparseBlockGemv and SparseBlockOuter work in place on their first input, where no other node needs it."""
    result = type(node.op)(True)(*node.inputs)
    copy_stack_trace(node.outputs[0], result)
    return [result]


optdb.register("local_inplace_sparse_block", in2out(local_inplace_sparse_block, ignore_newtrees=True), "fast_run", "inplace", position=60)


def sparse_block_dot(W: Any, h: Any, inputIdx: Any, b: Any, outputIdx: Any) -> Any:
    """Returns the bias `b` of the chosen output blocks plus the products of `h` with the chosen blocks of `W`; see SparseBlockGemv.

    `h` may lack the batch dimension. Raises AssertionError unless `h` has one dimension more than inputIdx and outputIdx.
    """
    if not inputIdx.ndim == outputIdx.ndim == h.ndim - 1:
        raise AssertionError("h must have one dimension more than inputIdx and outputIdx")
    if h.ndim == 2:
        h = h.dimshuffle("x", 0, 1)
        inputIdx, outputIdx = inputIdx.dimshuffle("x", 0), outputIdx.dimshuffle("x", 0)
    return SparseBlockGemv()(b.take(outputIdx, axis=0), W, h, inputIdx, outputIdx)


def h_softmax(
    x: Any,
    batch_size: Any,
    n_outputs: Any,
    n_classes: Any,
    n_outputs_per_class: Any,
    W1: Any,
    b1: Any,
    W2: Any,
    b2: Any,
    target: Any = None,
) -> Any:
    """Returns the two-level softmax: the probability of a class times that of an output within its class.

    Without `target` the result is (batch_size, n_outputs); with it, the probability of each row's target output, (batch_size,). Shapes: x
    (batch_size, features), W1 (features, n_classes), W2 (n_classes, features, n_outputs_per_class).
    """
    of_classes = softmax(dot(x, W1) + b1)
    if target is None:
        scores = tensordot(x, W2, (1, 1)) + b2
        within = softmax(scores.reshape((-1, n_outputs_per_class))).reshape((batch_size, n_classes, -1))
        return (of_classes.dimshuffle(0, 1, "x") * within).reshape((batch_size, -1))[:, :n_outputs]
    target = target.flatten()
    classes, places = target // n_outputs_per_class, target % n_outputs_per_class
    scores = sparse_block_dot(
        W2.dimshuffle("x", 0, 1, 2),
        x.dimshuffle(0, "x", 1),
        zeros((batch_size, 1), dtype="int32"),
        b2,
        classes.dimshuffle(0, "x"),
    )
    within = softmax(scores.dimshuffle(0, 2))
    rows = arange(batch_size)
    return of_classes[rows, classes] * within[rows, places]


def confusion_matrix(actual: Any, pred: Any) -> list[Any]:
    """Returns [counts, classes]: counts[i, j] is how often the actual class is classes[i] and the predicted one classes[j].

    `actual` and `pred` are vectors; ValueError otherwise. The classes are all values in either, sorted.
    """
    actual, pred = as_tensor_variable(actual), as_tensor_variable(pred)
    if actual.ndim != 1:
        raise ValueError("actual must be 1-d tensor variable")
    if pred.ndim != 1:
        raise ValueError("pred must be 1-d tensor variable")
    order = Unique(False, False, False)(concatenate([actual, pred]))
    rows, columns = (eq(v.dimshuffle(0, "x"), order).astype("int64") for v in (actual, pred))
    return [dot(rows.T, columns), order]
