"""Serves `theano.raise_op`: the Op Raise."""

from typing import Any, Sequence, Type

from pytensor.graph.basic import Apply

from ..ops.op import LegacyOp


class Raise(LegacyOp):
    """Op with one input and one output; raises `exc(msg)` when it runs."""

    __props__ = ("msg", "exc")

    def __init__(self, msg: str = "", exc: Type[BaseException] = NotImplementedError) -> None:
        self.msg = msg
        self.exc = exc

    def __str__(self) -> str:
        return "Raise{%s(%s)}" % (self.exc, self.msg)

    def make_node(self, x: Any) -> Apply:
        """Node whose output has the type of the input."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], out_storage: Any) -> None:
        """Raises `exc(msg)`."""
        raise self.exc(self.msg)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> Any:
        """Disconnected gradients."""
        from pytensor.gradient import DisconnectedType

        return [DisconnectedType()() for _ in inputs]

    def output_shapes(self, node: Apply, shapes: Any) -> Any:
        """Shape of the input."""
        return shapes

    def connection_pattern(self, node: Apply) -> Any:
        """The input is not connected to the output."""
        return [[False]]
