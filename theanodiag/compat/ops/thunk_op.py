"""An Op that computes by its own `make_thunk` alone, as Theano's `PureOp` may: PyTensor makes no Op that has no `perform`."""

import inspect
from typing import Any, List

from pytensor.graph.op import Op


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
