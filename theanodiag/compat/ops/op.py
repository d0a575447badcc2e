"""Base class and helpers of the Ops that this layer adds, over releases of PyTensor whose Op interface differs."""

from typing import Any

from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.shape import specify_broadcastable


class LegacyOp(Op):
    """Base class of Ops that Theano had and PyTensor has not; a subclass gives its shapes in `output_shapes`."""

    def infer_shape(self, *arguments: Any) -> Any:
        """Calls `output_shapes(node, shapes)`; PyTensor 3.0 passes (fgraph, node, shapes), 3.3 passes (node, shapes)."""
        return self.output_shapes(*arguments[-2:])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Symbolic shape of each output, from the `shapes` of the node's inputs."""
        raise NotImplementedError


def no_gradient(variables: Any) -> list[Variable]:
    """One disconnected gradient for each of `variables`."""
    return [DisconnectedType()() for _ in variables]


def is_connected(variable: Variable) -> bool:
    """Whether `variable`, a gradient or tangent, is connected: its type is not DisconnectedType."""
    return not isinstance(variable.type, DisconnectedType)


def as_variable(x: Any) -> Variable:
    """`x` itself where it is a Variable, else `x` as a tensor."""
    return x if isinstance(x, Variable) else as_tensor_variable(x)


def restored(value: Variable, like: Variable) -> Variable:
    """`value` with the dtype of `like`, and with length 1 declared for the dimensions that are broadcastable in `like`."""
    axes = [i for i, (known, wanted) in enumerate(zip(value.type.broadcastable, like.type.broadcastable)) if wanted and not known]
    value = specify_broadcastable(value, *axes) if axes else value
    return value if value.dtype == like.dtype else value.astype(like.dtype)


def flags(pattern: Any) -> tuple[Any, ...]:
    """Static shape for a broadcast pattern: 1 for each true flag, None (unknown) for the others."""
    return tuple(1 if flag else None for flag in pattern)
