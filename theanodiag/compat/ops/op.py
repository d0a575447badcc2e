"""Base classes and helpers of the Ops that this layer adds, over releases of PyTensor whose Op interface differs."""

import inspect
from typing import Any, List

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


class OpInstanceCheck(type):
    """Metaclass: `isinstance(x, cls)` is also true of instances of the PyTensor Op `cls.op`, whose nodes the class makes."""

    op: Any = None
    """The PyTensor Op class; each class sets its own."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.op) or type(instance) is cls


def _takes_impl(make_thunk: Any) -> bool:
    """Whether a method takes the argument `impl`, which Theano hands on since 0.9."""
    kinds = inspect.signature(make_thunk).parameters
    return "impl" in kinds or any(p.kind is p.VAR_KEYWORD for p in kinds.values()) or len(kinds) > 5


class ThunkOp(Op):
    """Base of Ops that define `make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None)`, and no `perform`.

    `perform` runs the thunk, a lazy one until it asks for no more inputs: all of them are there.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Lets a `make_thunk` of before `impl` be called with it."""
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("make_thunk")
        if own is not None and not _takes_impl(own):

            def make_thunk(self: Any, node: Any, storage_map: Any, compute_map: Any, no_recycling: Any, impl: Any = None) -> Any:
                return own(self, node, storage_map, compute_map, no_recycling)

            cls.make_thunk = make_thunk  # type: ignore[method-assign]

    def perform(self, node: Any, inputs: Any, output_storage: List[Any]) -> None:
        """Puts what the thunk computes of `inputs` into `output_storage`."""
        storage = {variable: [value] for variable, value in zip(node.inputs, inputs)}
        storage.update(zip(node.outputs, output_storage))
        computed = {variable: [variable in node.inputs] for variable in storage}
        thunk = self.make_thunk(node, storage, computed, [], impl="py")
        while thunk():
            pass
