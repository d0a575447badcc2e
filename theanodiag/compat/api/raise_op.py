"""theano.raise_op."""

from typing import Any, Sequence, Type

from pytensor.graph.basic import Apply
from pytensor.graph.op import Op


class Raise(Op):
    """Takes and gives one variable; raises `exc(msg)` when it runs."""

    __props__ = ("msg", "exc")

    def __init__(self, msg: str = "", exc: Type[BaseException] = NotImplementedError) -> None:
        self.msg = msg
        self.exc = exc

    def __str__(self) -> str:
        return "Raise{%s(%s)}" % (self.exc, self.msg)

    def make_node(self, x: Any) -> Apply:
        """One output of the input's type."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Apply, inputs: Sequence[Any], out_storage: Any) -> None:
        """Raises."""
        raise self.exc(self.msg)

    def pullback(self, inputs: Sequence[Any], outputs: Any, cotangents: Any) -> Any:
        """Not defined."""
        from pytensor.gradient import DisconnectedType

        return [DisconnectedType()() for _ in inputs]

    def infer_shape(self, fgraph: Any, node: Apply, i0_shapes: Any) -> Any:
        """That of the input."""
        return i0_shapes

    def connection_pattern(self, node: Apply) -> Any:
        """Nothing flows back."""
        return [[False]]
