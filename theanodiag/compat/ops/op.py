"""The base of our Ops: what differs between the releases of PyTensor that they run on."""

from typing import Any

from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.shape import specify_broadcastable


class LegacyOp(Op):
    """An Op of Theano's that PyTensor lost."""

    def infer_shape(self, *arguments: Any) -> Any:
        """PyTensor 3.0 hands over (fgraph, node, shapes), 3.3 (node, shapes)."""
        return self.output_shapes(*arguments[-2:])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """The shape of each output, from those of the inputs."""
        raise NotImplementedError


def no_gradient(variables: Any) -> list[Variable]:
    """One disconnected gradient for each of these inputs."""
    return [DisconnectedType()() for _ in variables]


def is_connected(variable: Variable) -> bool:
    """Whether something flows through this gradient or tangent."""
    return not isinstance(variable.type, DisconnectedType)


def as_variable(x: Any) -> Variable:
    """A variable as it is, anything else as a tensor."""
    return x if isinstance(x, Variable) else as_tensor_variable(x)


def restored(value: Variable, like: Variable) -> Variable:
    """A gradient with the broadcast pattern and dtype of what it belongs to."""
    axes = [i for i, (known, wanted) in enumerate(zip(value.type.broadcastable, like.type.broadcastable)) if wanted and not known]
    value = specify_broadcastable(value, *axes) if axes else value
    return value if value.dtype == like.dtype else value.astype(like.dtype)


def flags(pattern: Any) -> tuple[Any, ...]:
    """A broadcast pattern as a static shape: 1 or not known."""
    return tuple(1 if flag else None for flag in pattern)
