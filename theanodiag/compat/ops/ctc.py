"""Connectionist temporal classification (CTC) in numpy for `theano.tensor.nnet.ctc`; Theano used Baidu's library warp-ctc."""

from typing import Any

import numpy as np
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.rewriting.basic import register_canonicalize
from pytensor.tensor.type import TensorType

from .ctc_kernels import cost_and_gradient
from .op import LegacyOp


class ConnectionistTemporalClassification(LegacyOp):
    """(activations, labels, input_lengths) -> (cost of each sequence[, gradient of the activations]).

    The gradient is computed together with the costs if `compute_grad`.
    """

    __props__ = ("compute_grad",)
    default_output = 0

    def __init__(self, compute_grad: bool = True, openmp: Any = None) -> None:
        self.compute_grad = compute_grad

    def make_node(self, activations: Any, labels: Any, input_lengths: Any) -> Apply:
        """Makes the Apply node for float32 activations (steps, batch, symbols), int32 labels (batch, labels) and int32 lengths (batch,).

        Negative labels are padding. TypeError for another dtype, ValueError for another rank.
        """
        activations, labels, lengths = (as_tensor_variable(v) for v in (activations, labels, input_lengths))
        for name, variable, dtype in (
            ("activations", activations, "float32"),
            ("labels", labels, "int32"),
            ("input_lengths", lengths, "int32"),
        ):
            if variable.type.dtype != dtype:
                raise TypeError("{} must use the {} type!".format(name, dtype))
        for name, variable, ndim in (("activations", activations, 3), ("labels", labels, 2), ("input_lengths", lengths, 1)):
            if variable.ndim != ndim:
                raise ValueError("{} must have {} dimension{}.".format(name, ndim, "s" if ndim > 1 else ""))
        outputs = [TensorType("float32", shape=(None,))(name="ctc_cost")]
        if self.compute_grad:
            outputs.append(TensorType("float32", shape=(None,) * 3)(name="ctc_grad"))
        return Apply(self, [activations, labels, lengths], outputs)

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Runs the forward-backward algorithm for each sequence. Raises ValueError if the inputs differ in the number of sequences."""
        activations, labels, lengths = inputs
        if not activations.shape[1] == len(labels) == len(lengths):
            message = "activations, labels and input_lengths must have one sequence each, got {}, {} and {}"
            raise ValueError(message.format(activations.shape[1], len(labels), len(lengths)))
        costs: Any = np.zeros(len(labels), "float32")
        gradient: Any = np.zeros(activations.shape, "float32")
        for b, (row, steps) in enumerate(zip(labels, lengths)):
            costs[b], gradient[:steps, b] = cost_and_gradient(activations[:steps, b], row[row >= 0])
        output_storage[0][0] = costs
        if self.compute_grad:
            output_storage[1][0] = gradient

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns (batch,) for the costs, and the shape of the activations for their gradient."""
        return [(shapes[0][1],), shapes[0]][: len(node.outputs)]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Every input is connected to the costs (output 0) and to no other output: the gradient output is not differentiable."""
        return [[True] + [False] * (len(node.outputs) - 1)] * len(node.inputs)

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        """Returns the gradient output times the gradient of each sequence's cost. Raises ValueError if `compute_grad` is False."""
        if len(outputs) != 2:
            raise ValueError("this Op was made without its gradient: compute_grad=False")
        gradient = outputs[1] * cotangents[0].dimshuffle("x", 0, "x")
        return [gradient, grad_undefined(self, 1, inputs[1]), grad_undefined(self, 2, inputs[2])]


@register_canonicalize("fast_compile")
@node_rewriter([ConnectionistTemporalClassification])
def local_ctc_no_grad(fgraph: Any, node: Apply) -> Any:
    """Sets `compute_grad` to False where no node uses the gradient output."""
    if len(node.outputs) == 2 and not fgraph.clients[node.outputs[1]]:
        cost = ConnectionistTemporalClassification(compute_grad=False)(*node.inputs)
        copy_stack_trace(node.outputs[0], cost)
        return {node.outputs[0]: cost}
    return None


def ctc(activations: Any, labels: Any, input_lengths: Any) -> Any:
    """Returns the cost of each sequence: -log of the probability of its labels; see ConnectionistTemporalClassification."""
    return ConnectionistTemporalClassification()(activations, labels, input_lengths)


def ctc_available() -> bool:
    """Always True: no external library is needed."""
    return True


ctc_present = ctc_available
