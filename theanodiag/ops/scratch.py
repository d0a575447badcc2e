"""What a rule of the workspace that XLA takes for an Op sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..ir import Op, Shape, Unknown

Sizes = Sequence[int]
"""Bytes of the inputs or outputs of a node."""


@dataclass(frozen=True)
class ScratchQuery:
    """A node whose workspace is asked for."""

    op: Op
    """The Op; for one that works on each matrix of a stack, the Blockwise around it."""
    shape: Shape | Unknown
    """Shape of its first input."""
    inputs: Sizes
    outputs: Sizes
    terms: int
    """Number of elements of the first input for each of the result."""
    on_gpu: bool


ScratchRule = Callable[[ScratchQuery], int]
"""Computes the bytes that XLA takes for a node beside its results, while it runs."""
