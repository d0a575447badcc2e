"""What rules use that say which dimensions of an Op's inputs and outputs have equal lengths."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..agent.shapes.dimensions import NoShape
from .node import Node, sized

Run = tuple[int, int, int, int, int]
"""A run of equal dimensions: (Variable a, its first dimension, Variable b, its first dimension, number of dimensions).

Variables are inputs by position, or outputs counted down from -1.
"""
Equal = Iterable[Run]
"""Runs of dimensions that have equal lengths."""
OUT = -1
"""The number of output 0 in a run."""
AgreementRule = Callable[[Node], Equal]
"""Yields the runs of equal dimensions of a node; raises NoShape where a type or value is not known."""


def rank_of(node: Node, position: int) -> int:
    """Number of dimensions of input number `position`; raises NoShape where no type is printed."""
    kind = node.type(position)
    if not sized(kind):
        raise NoShape("a type is not printed")
    return kind.ndim


def out_rank(node: Node) -> int:
    """Number of dimensions of output 0; raises NoShape where no type is printed."""
    rank = node.out_ndim()
    if rank is None:
        raise NoShape("a type is not printed")
    return rank
