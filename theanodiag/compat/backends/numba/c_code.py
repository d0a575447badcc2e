"""The user's C code in numba: each Op that has some is called as one opaque function."""

from __future__ import annotations

from typing import Any

from pytensor.compile.mode import optdb
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.graph.rewriting.basic import in2out, node_rewriter
from pytensor.link.numba.dispatch.basic import generate_fallback_impl, numba_funcify, register_funcify_and_cache_key
from pytensor.tensor.elemwise import CAReduce, Elemwise

from ...behaviour.c_code import LegacyCOp, Thunk, has_c, registering, scalars


class _Called:
    """Replaces an Op: its `perform` runs the Op's C code."""

    def __init__(self, op: Any, node: Any) -> None:
        self.op, self.thunk = op, Thunk(op, node)

    def __str__(self) -> str:
        return str(self.op)

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Runs the C code on arrays or scalars, as the types of the inputs require."""
        values = [variable.type.filter(value) for variable, value in zip(node.inputs, inputs)]
        for cell, value in zip(output_storage, self.thunk(values)):
            cell[0] = value


@numba_funcify.register(LegacyCOp)
def call_c_code(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """Returns a numba conversion that runs the Op's C code if it has any, else its `perform`."""
    return generate_fallback_impl(_Called(op, node) if has_c(op) else op, node, **kwargs)


class OfElements(Op):
    """An Elemwise or CAReduce with the user's C code, which PyTensor's rewrites for numba leave in one piece."""

    __props__ = ("op",)

    def __init__(self, op: Any) -> None:
        self.op = op
        self.destroy_map = getattr(op, "destroy_map", {})

    def make_node(self, *inputs: Any) -> Any:
        """Returns a node with the outputs of `op`."""
        return Apply(self, list(inputs), [output.type() for output in self.op.make_node(*inputs).outputs])


@node_rewriter([Elemwise, CAReduce])
def _opaque(fgraph: Any, node: Any) -> Any:
    return OfElements(node.op)(*node.inputs, return_list=True) if has_c(node.op) else None


optdb.register("legacy_numba_c_code", in2out(_opaque), "numba", position=49.9)  # after fusion, before what happens in place


@register_funcify_and_cache_key(OfElements)
def _of_elements(op: Any, node: Any = None, **kwargs: Any) -> Any:
    return generate_fallback_impl(_Called(op.op, op.op.make_node(*node.inputs)), node, **kwargs), None


def _register(scalar: type) -> None:
    """Runs the C code of a class of scalar Ops where numba calls one by itself; otherwise it would translate `impl` or the base class."""

    @register_funcify_and_cache_key(scalar)
    def called(op: Any, node: Any = None, **kwargs: Any) -> Any:
        return generate_fallback_impl(_Called(op, node) if has_c(op) else op, node, **kwargs), None


for _scalar in scalars:
    _register(_scalar)
registering.append(_register)
