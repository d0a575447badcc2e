"""Shape rules of basic indexing (Subtensor) and of assignments to parts, with constant or computed indices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Union

from ..ir.shape import Dim, Unknown
from .dimensions import Bound, NoShape, sliced
from .registry import Rule, Shapes, like
from .state import Node


class Slice(NamedTuple):
    """start:stop:step; None for a part that is not written."""

    start: Dim | None
    stop: Dim | None
    step: Dim | None


Entry = Union[Slice, Dim]
"""One index of a pattern: a slice or a number."""


def entries(node: Node, first: int) -> list[Entry]:
    """The indices of a node's pattern `idx_list`; `first` is the position of the first index among the inputs."""
    pattern = node.params.get("idx_list")
    if not isinstance(pattern, list):
        raise NoShape(f"the index pattern of {node.op.name} is not known")
    positions = iter(range(first, node.n_inputs))
    return [_entry(node, e, positions) for e in pattern]


def _entry(node: Node, entry: object, positions: Iterator[int]) -> Entry:
    if isinstance(entry, dict):
        parts = entry.get("slice")
        if isinstance(parts, list) and len(parts) == 3:
            return Slice(*[part(node, p, positions) for p in parts])
    found = part(node, entry, positions)
    if found is None:
        raise NoShape(f"the index pattern of {node.op.name} is not known")
    return found


def part(node: Node, value: object, positions: Iterator[int]) -> Dim | None:
    """One number of a pattern: written there, or the value of the next input; None for an omitted part of a slice."""
    if value is None or isinstance(value, int):
        return value
    position = next(positions, None)
    if position is None:
        raise NoShape(f"{node.op.name} has fewer indices than its pattern")
    kind = node.type(position)
    return None if kind.text == "<NoneTypeT>" or kind.text.startswith("NoneType") else node.number(position)


def subtensor(node: Node) -> Shapes:
    """Subtensor: lengths of the slices, then the dimensions that are not indexed."""
    shape, index = node.shape(0), entries(node, 1)
    if len(index) > len(shape):
        raise NoShape(f"{node.op.name} has more indices than its input has dimensions")
    dims = tuple(length_of(d, e) for d, e in zip(shape, index) if isinstance(e, Slice))
    return [dims + shape[len(index) :]]


def length_of(dim: Dim, entry: Slice) -> Dim:
    """Length of the slice `entry` of a dimension; a Bound where a part of it is unknown."""
    return sliced(dim, *entry, vague=any(isinstance(p, (Unknown, Bound)) for p in entry))


def rows_by_number(node: Node) -> Shapes:
    """AdvancedSubtensor1 of (array, row numbers): the shape of the row numbers, then the array's further dimensions."""
    return [node.shape(1) + node.shape(0)[1:]]


_ASSIGNMENTS = (
    "IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1", "AdvancedIncSubtensor1_dev20", "AdvancedBooleanIncSubtensor",
    "IncDiagonalSubtensor",
)  # fmt: skip
RULES: dict[str, Rule] = {
    "Subtensor": subtensor, "ScalarSubtensor": subtensor, "AdvancedSubtensor1": rows_by_number, **dict.fromkeys(_ASSIGNMENTS, like(0)),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""
