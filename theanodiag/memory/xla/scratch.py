"""Workspace that XLA takes beside the results of an Op: sort buffers, random bits, partial sums, copies in a library's layout."""

from __future__ import annotations

import re

from ...ir import Op
from ...ops import op_info
from ...ops.elementwise import HEAVY
from ...ops.randoms import FROM_NORMAL
from ...ops.scratch import ScratchQuery


def scratch(asked: ScratchQuery) -> int:
    """Workspace in bytes of a node beside its results."""
    rule = op_info(core(asked.op)).scratch
    return 0 if rule is None or not asked.inputs else rule(asked)


def core(op: Op) -> str:
    """The class of the Op that works on each matrix of a stack, or the Op itself."""
    inside = op.text[len("Blockwise{") :] if op.name == "Blockwise" and op.text.startswith("Blockwise{") else op.name
    return re.split("[{,]", inside)[0]


def kept_beside(op: Op, readers: int, *, on_gpu: bool) -> int:
    """Number of further buffers, each the size of the result, that stay allocated until the result's last reader has run.

    Source: jax/_src/lax/linalg.py: a decomposition gives NaN for what has none, and the choice is made where the result is read, from what
    the library gave. Random numbers are made likewise from steps before.
    """
    if op_info(core(op)).nan_without_result:
        if on_gpu and core(op) == "SolveTriangular":
            return 0
        return 1 if readers < 3 else 2
    if op.name.endswith("RV"):
        return 2 if op.name in FROM_NORMAL and not on_gpu else 0
    return int(op.name == "Elemwise" and any(word in op.text.lower() for word in HEAVY))
