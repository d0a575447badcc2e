"""Base classes and helpers of this layer's Ops; they hide the differences between PyTensor's Op interfaces."""

import inspect
from typing import Any, List

from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply, Variable
from pytensor.graph.op import Op
from pytensor.tensor.basic import as_tensor_variable
from pytensor.tensor.shape import specify_broadcastable


class LegacyOp(Op):
    """Base class of Ops that Theano has and PyTensor lacks. A subclass defines `output_shapes`."""

    def infer_shape(self, *arguments: Any) -> Any:
        """Calls `output_shapes(node, shapes)`; PyTensor 3.0 passes (fgraph, node, shapes), 3.3 passes (node, shapes)."""
        return self.output_shapes(*arguments[-2:])

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Returns the symbolic shape of each output, from the `shapes` of the node's inputs."""
        raise NotImplementedError


def no_gradient(variables: Any) -> list[Variable]:
    """Returns one disconnected gradient for each of `variables`."""
    return [DisconnectedType()() for _ in variables]


def is_connected(variable: Variable) -> bool:
    """Returns whether `variable`, a gradient or tangent, is connected: its type is not DisconnectedType."""
    return not isinstance(variable.type, DisconnectedType)


def as_variable(x: Any) -> Variable:
    """Returns `x` itself if it is a Variable, else `x` as a tensor."""
    return x if isinstance(x, Variable) else as_tensor_variable(x)


def restored(value: Variable, like: Variable) -> Variable:
    """Returns `value` with the dtype of `like`, and with dimensions declared broadcastable that are so in `like`."""
    axes = [i for i, (known, wanted) in enumerate(zip(value.type.broadcastable, like.type.broadcastable)) if wanted and not known]
    value = specify_broadcastable(value, *axes) if axes else value
    return value if value.dtype == like.dtype else value.astype(like.dtype)


def flags(pattern: Any) -> tuple[Any, ...]:
    """Returns the static shape for a broadcast pattern: 1 for each true flag, None (unknown) for the others."""
    return tuple(1 if flag else None for flag in pattern)


class OpInstanceCheck(type):
    """A metaclass for classes that stand for a PyTensor Op: `isinstance(x, cls)` is also true for instances of `cls.op`, the Op that
    creates the nodes.
    """

    op: Any = None
    """The PyTensor Op class; set by each class."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.op) or type(instance) is cls


def _takes_impl(make_thunk: Any) -> bool:
    """Whether a `make_thunk` method takes the argument `impl`, which Theano passes since 0.9."""
    kinds = inspect.signature(make_thunk).parameters
    return "impl" in kinds or any(p.kind is p.VAR_KEYWORD for p in kinds.values()) or len(kinds) > 5


class ThunkOp(Op):
    """Base class of Ops that define `make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None)` instead of `perform`.

    `perform` runs the thunk; a lazy thunk is run until it requests no more inputs, all of which are available.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Wraps a subclass's `make_thunk` that lacks the argument `impl`, so that it can be called with it."""
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("make_thunk")
        if own is not None and not _takes_impl(own):

            def make_thunk(self: Any, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any, impl: Any = None) -> Any:
                return own(self, node, storage_map, compute_map, no_recycling)

            cls.make_thunk = make_thunk  # type: ignore[method-assign]

    def perform(self, node: Any, inputs: Any, output_storage: List[Any]) -> None:
        """Runs the thunk on `inputs` and stores its results in `output_storage`."""
        storage = {variable: [value] for variable, value in zip(node.inputs, inputs)}
        storage.update(zip(node.outputs, output_storage))
        computed = {variable: [variable in node.inputs] for variable in storage}
        thunk = self.make_thunk(node, storage, computed, [], impl="py")
        while thunk():
            pass
