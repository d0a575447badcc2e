"""Dtypes of Ops' outputs, for texts that print no types, from the dtypes of the inputs and the Op's parameters.

Sources: `make_node` of the Ops in Theano 1.0.5, Aesara 2.9.4, PyTensor 3.0.7 and 3.3.7.
"""

from __future__ import annotations

from ..ops import op_info
from ..ops.dtypes import INDEX, Dtypes, TypeQuery, widest
from ..ops.elementwise import elemwise_dtype


def dtypes_of(asked: TypeQuery) -> list[str | None]:
    """The dtype of each output. An Op without a rule has the dtype that its parameters print, else the widest float of its inputs."""
    rule = elemwise_dtype if asked.scalar else op_info(asked.name).dtype
    found = [*(rule or _other)(asked)] or [None]
    return (found + found[-1:] * asked.n_outputs)[: asked.n_outputs]


def of_whole(dtype: str | None) -> str | None:
    """The dtype of a position or length: int64 instead of int8 and int16, which only literals have."""
    return INDEX if dtype in ("int8", "int16") else dtype


def _other(asked: TypeQuery) -> Dtypes:
    said = asked.param()
    if said is not None:
        return [said]
    if asked.params.get("scalar_op") or not any(asked.inputs):
        return elemwise_dtype(asked)
    floats = [d for d in asked.inputs if d and ("float" in d or "complex" in d)]
    return [widest(floats or asked.inputs)]
