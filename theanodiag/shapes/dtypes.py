"""Dtypes of Ops' outputs, for texts that print no types, from the dtypes of the inputs and the Op's parameters.

Sources: `make_node` of the Ops in Theano 1.0.5, Aesara 2.9.4, PyTensor 3.0.7 and 3.3.7.
"""

from __future__ import annotations

from ..ops import op_info
from ..ops.dtypes import INDEX, Dtypes, TypeQuery, widest
from ..ops.elementwise import elemwise_dtype


def dtypes_of(query: TypeQuery) -> list[str | None]:
    """The dtype of each output. An Op without a rule has the dtype that its parameters print, else the widest float of its inputs."""
    rule = elemwise_dtype if query.scalar else op_info(query.name).dtype
    dtypes = [*(rule or _other)(query)] or [None]
    return (dtypes + dtypes[-1:] * query.n_outputs)[: query.n_outputs]


def of_whole(dtype: str | None) -> str | None:
    """The dtype of an index or length: int64 in place of int8 and int16, which only literals have; else `dtype`."""
    return INDEX if dtype in ("int8", "int16") else dtype


def _other(query: TypeQuery) -> Dtypes:
    printed = query.param()
    if printed is not None:
        return [printed]
    if query.params.get("scalar_op") or not any(query.inputs):
        return elemwise_dtype(query)
    floats = [d for d in query.inputs if d and ("float" in d or "complex" in d)]
    return [widest(floats or query.inputs)]
