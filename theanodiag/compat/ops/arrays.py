"""Small Ops of theano.tensor.basic and theano.compile.ops that PyTensor has no longer."""

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np
import pytensor.compile.mode as compile_mode
import pytensor.tensor as pt
from pytensor.configdefaults import config
from pytensor.gradient import DisconnectedType, disconnected_type, grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import copy_stack_trace, node_rewriter
from pytensor.tensor.rewriting.basic import register_canonicalize, register_specialize
from pytensor.tensor.type import TensorType


class Rebroadcast(Op):
    """Changes what the type says about lengths of 1: `Rebroadcast((0, True), (1, False))(x)`. A wrong promise is an error when it runs."""

    view_map = {0: [0]}
    __props__ = ("pattern",)

    def __init__(self, *axis: Tuple[int, bool]) -> None:
        for number, flag in axis:
            if not isinstance(number, (int, np.integer)):
                raise TypeError(f"Rebroadcast needs integer axes. Got {number}")
            if not isinstance(flag, (bool, np.bool_)):
                raise TypeError(f"Rebroadcast needs bool for new broadcast pattern. Got {flag}")
        self.pattern = tuple(sorted((int(number), bool(flag)) for number, flag in axis))

    @property
    def axis(self) -> Dict[int, bool]:
        """Axis -> flag."""
        return dict(self.pattern)

    def __str__(self) -> str:
        flags = ["?"] * (1 + max(self.axis)) if self.axis else []
        for number, flag in self.pattern:
            flags[number] = str(int(flag))
        return "Rebroadcast{" + ",".join(flags) + "}"

    def make_node(self, x: Any) -> Apply:
        """The node over a tensor."""
        x = pt.as_tensor_variable(x) if not hasattr(x, "type") else x
        if self.axis and x.ndim <= max(self.axis):
            raise ValueError("Trying to rebroadcast non-existent dimension")
        flags = [self.axis.get(i, flag) for i, flag in enumerate(x.type.broadcastable)]
        return Apply(self, [x], [x.type.clone(shape=tuple(1 if flag else None for flag in flags))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """The input itself."""
        for number, flag in self.pattern:
            if flag and inputs[0].shape[number] != 1:
                raise ValueError(
                    f"Dimension {number} in Rebroadcast's input was supposed to be 1 (got {inputs[0].shape[number]} instead)"
                )
        output_storage[0][0] = inputs[0]

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> List[Any]:
        """That of the input, with the 1s that are promised."""
        return [tuple(pt.constant(1) if self.axis.get(i) else length for i, length in enumerate(shapes[0]))]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """The gradient, with the flags of the input."""
        flags = inputs[0].type.broadcastable
        return [rebroadcast(cotangents[0], [(i, flags[i]) for i, _ in self.pattern])]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> List[Any]:
        """The same change of the tangent."""
        return [disconnected_type() if isinstance(tangents[0].type, DisconnectedType) else self(tangents[0])]


def rebroadcast(x: Any, pattern: Sequence[Tuple[int, bool]]) -> Any:
    """`x` with the flags `pattern`, itself where it has them."""
    x = pt.as_tensor_variable(x)
    if x.owner is not None and isinstance(x.owner.op, Rebroadcast):
        pattern = [*x.owner.op.axis.items(), *pattern]
        x = x.owner.inputs[0]
    op = Rebroadcast(*dict(pattern).items())
    if op.axis and x.ndim <= max(op.axis):
        raise ValueError("Trying to rebroadcast non-existent dimension")
    return x if all(x.type.broadcastable[i] == flag for i, flag in op.pattern) else op(x)


@register_canonicalize
@register_specialize
@node_rewriter([Rebroadcast])
def local_useless_rebroadcast(fgraph: Any, node: Apply) -> Any:
    """Nothing in the place of a Rebroadcast that changes nothing."""
    x = node.inputs[0]
    if x.type.broadcastable == node.outputs[0].type.broadcastable:
        return [x]
    return False


class Default(Op):
    """The first input, or a copy of the second where the first is None."""

    view_map = {0: [0]}
    __props__ = ()

    def make_node(self, x: Any, default: Any) -> Apply:
        """The node over two inputs of one type."""
        x, default = pt.as_tensor_variable(x), pt.as_tensor_variable(default)
        if x.type != default.type:
            raise TypeError("Both default() arguments must have same type", x, default)
        return Apply(self, [x, default], [default.type()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Chooses."""
        output_storage[0][0] = inputs[1].copy() if inputs[0] is None else inputs[0]


class Tile(Op):
    """`numpy.tile` by a symbolic vector whose length is the rank of the result."""

    __props__ = ("ndim",)

    def __init__(self, ndim: int) -> None:
        self.ndim = ndim

    def make_node(self, x: Any, reps: Any) -> Apply:
        """The node over a tensor and the repetitions."""
        x, reps = pt.as_tensor_variable(x), pt.as_tensor_variable(reps)
        return Apply(self, [x, reps], [TensorType(x.type.dtype, [False] * self.ndim)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """numpy's."""
        result = np.tile(inputs[0], inputs[1])
        if result.ndim != self.ndim:
            raise ValueError("Tile.perform produced incorrect number of dimensions")
        output_storage[0][0] = result.copy() if np.may_share_memory(result, inputs[0]) else result

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> List[Any]:
        """Lengths times repetitions."""
        return [tuple(length * node.inputs[1][i] for i, length in enumerate(shapes[0]))]


class Tri(Op):
    """`numpy.tri`: ones at and below the k-th diagonal."""

    __props__ = ("dtype",)

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = str(np.dtype(dtype or config.floatX))

    def make_node(self, N: Any, M: Any, k: Any) -> Apply:
        """The node over rows, columns and the diagonal."""
        inputs = [pt.as_tensor_variable(v) for v in (N, M, k)]
        return Apply(self, inputs, [TensorType(self.dtype, (False, False))()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """numpy's."""
        output_storage[0][0] = np.tri(*(int(v) for v in inputs), dtype=self.dtype)

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> List[Any]:
        """(rows, columns)."""
        return [tuple(node.inputs[:2])]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Whole numbers have none."""
        return [grad_undefined(self, i, inputs[i]) for i in range(3)]


class MaxAndArgmax(Op):
    """The maximum over some axes and where it is, at once."""

    nin = 2
    nout = 2
    E_axis = "invalid axis"
    __props__ = ("axis",)

    def __init__(self, axis: Sequence[int]) -> None:
        assert isinstance(axis, (list, tuple))
        self.axis = tuple(axis)

    def make_node(self, x: Any) -> Apply:
        """The node over a tensor."""
        x = pt.as_tensor_variable(x)
        flags = [flag for i, flag in enumerate(x.type.broadcastable) if i not in self.axis]
        return Apply(self, [x], [TensorType(x.type.dtype, flags)(name="max"), TensorType("int64", flags)(name="argmax")])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """numpy's, over the axes laid out as one."""
        x = inputs[0]
        kept = [i for i in range(x.ndim) if i not in self.axis]
        turned = x.transpose(kept + list(self.axis))
        flat = turned.reshape(turned.shape[: len(kept)] + (int(np.prod(turned.shape[len(kept) :])),))
        output_storage[0][0] = np.asarray(flat.max(axis=-1), dtype=node.outputs[0].dtype)
        output_storage[1][0] = np.asarray(flat.argmax(axis=-1), dtype="int64")

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> List[Any]:
        """Without the axes."""
        shape = tuple(length for i, length in enumerate(shapes[0]) if i not in self.axis)
        return [shape, shape]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """To each element that is as large as the maximum."""
        x = inputs[0]
        g_max, g_argmax = (isinstance(g.type, DisconnectedType) for g in cotangents)
        if g_max:
            return [disconnected_type() if g_argmax else x.zeros_like()]
        places = iter(range(x.ndim))
        pattern = ["x" if i in self.axis else next(places) for i in range(x.ndim)]
        return [pt.eq(outputs[0].dimshuffle(pattern), x) * cotangents[0].dimshuffle(pattern)]

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> List[Any]:
        """The tangent at the maximum of a matrix."""
        if isinstance(tangents[0].type, DisconnectedType):
            return [disconnected_type(), disconnected_type()]
        if len(self.axis) != 1:
            raise ValueError("R_op supported for arg_max only for one axis!")
        if self.axis[0] > 1 or inputs[0].ndim != 2:
            raise ValueError("R_op supported for arg_max only when input is a matrix and axis is 0 or 1")
        places, others = outputs[1], pt.arange(inputs[0].shape[1 - self.axis[0]])
        entry = (places, others) if self.axis[0] == 0 else (others, places)
        return [tangents[0][entry], disconnected_type()]


@node_rewriter([MaxAndArgmax])
def local_max_and_argmax(fgraph: Any, node: Apply) -> Any:
    """A maximum and an argmax where MaxAndArgmax was: the Ops that every backend of PyTensor knows."""
    axis = node.op.axis
    best = pt.max(node.inputs[0], axis=axis) if axis else node.inputs[0]
    return [best, pt.argmax(node.inputs[0], axis=axis)] if axis else False


compile_mode.optdb["canonicalize"].register("local_max_and_argmax", local_max_and_argmax, "fast_run")


class Mean(Op):
    """The mean in float64, over one axis or all (`mean(..., op=True)`)."""

    __props__ = ("axis",)

    def __init__(self, axis: Any = None) -> None:
        self.axis = None if axis is None else int(axis[0] if isinstance(axis, (list, tuple)) else axis)
        assert not isinstance(axis, (list, tuple)) or len(axis) == 1

    def __str__(self) -> str:
        return "Mean" if self.axis is None else f"Mean{{{self.axis}}}"

    def make_node(self, x: Any) -> Apply:
        """The node over a tensor."""
        x = pt.as_tensor_variable(x)
        if self.axis is not None and not -x.ndim <= self.axis < x.ndim:
            raise ValueError(f"Not enough dimensions on {x} to reduce on axis {self.axis}")
        gone = range(x.ndim) if self.axis is None else (self.axis % x.ndim,)
        flags = [flag for i, flag in enumerate(x.type.broadcastable) if i not in gone]
        return Apply(self, [x], [TensorType("float64", flags)()])

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """numpy's."""
        output_storage[0][0] = np.asarray(np.mean(inputs[0], dtype="float64", axis=self.axis))

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Any) -> List[Any]:
        """Without the axis."""
        if self.axis is None:
            return [()]
        return [tuple(length for i, length in enumerate(shapes[0]) if i != self.axis % len(shapes[0]))]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> List[Any]:
        """Each element has its share."""
        (x,), (g,) = inputs, cotangents
        axes = range(x.ndim) if self.axis is None else (self.axis % x.ndim,)
        places = iter(range(g.ndim))
        spread = g.dimshuffle(["x" if i in axes else next(places) for i in range(x.ndim)])
        count: Any = 1
        for i in axes:
            count = count * x.shape[i]
        return [pt.cast(pt.zeros_like(x, dtype="float64") + spread / count, x.dtype if "float" in x.dtype else "float64")]
