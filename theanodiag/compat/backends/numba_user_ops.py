"""Ops that users wrote with C code: numba calls it in object mode."""

from __future__ import annotations

from typing import Any

from pytensor.link.numba.dispatch.basic import generate_fallback_impl, numba_funcify

from ..behaviour.c_code import LegacyCOp, has_c
from ..behaviour.thunks import Thunk


class _Opaque:
    """Stands in for an Op: its `perform` runs the Op's C code."""

    def __init__(self, op: Any, node: Any) -> None:
        self.op, self.thunk = op, Thunk(op, node)

    def __str__(self) -> str:
        return str(self.op)

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Runs the C code on arrays or scalars as the types of the inputs hold them."""
        values = [variable.type.filter(value) for variable, value in zip(node.inputs, inputs)]
        for cell, value in zip(output_storage, self.thunk(values)):
            cell[0] = value


@numba_funcify.register(LegacyCOp)
def call_c_code(op: Any, node: Any = None, **kwargs: Any) -> Any:
    """numba conversion that runs the Op's C code where it has some, else its `perform`."""
    return generate_fallback_impl(_Opaque(op, node) if has_c(op) else op, node, **kwargs)
