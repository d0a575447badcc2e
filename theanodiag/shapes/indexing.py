"""Shape rules of basic indexing (Subtensor) and of assignments to parts, with constant or computed indices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Union

from ..agent.shapes.dimensions import Bound, NoShape, broadcast, product, sliced
from ..ir.shape import Dim, Shape, Unknown
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
_INDEXING_RULES: dict[str, Rule] = {
    "Subtensor": subtensor, "ScalarSubtensor": subtensor, "AdvancedSubtensor1": rows_by_number, **dict.fromkeys(_ASSIGNMENTS, like(0)),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""


Index = Union[int, Slice, None]
"""One index: the position of an input (numbers or a mask), a slice, or None for a new axis."""
_SLICE = re.compile(r"[Ss]lice(?:Constant)?[({]" + ", ?".join([r"(None|-?\d{1,18})"] * 3) + r"[)}]")
"""A slice that is a constant: `slice(1, None, None)`, `SliceConstant{1, None, None}`."""
_VAGUE = Unknown("an end of a slice is not known")


def advanced(node: Node) -> Shapes:
    """AdvancedSubtensor: the index arrays' broadcast shape replaces the dimensions that they index.

    It comes first if a slice or a new axis separates the arrays.
    """
    rest = list(node.shape(0))
    dims: list[Dim] = []
    places: list[int] = []
    arrays: list[Shape] = []
    for index in _indices(node):
        if isinstance(index, int):
            places.append(len(dims))
            dims.append(1)
            arrays.append(_covered(node, index, rest))
        else:
            dims.append(1 if index is None else length_of(_take(rest), index))
    return [_placed(dims, places, broadcast(arrays), rest)]


def _placed(dims: list[Dim], places: list[int], common: Shape, rest: list[Dim]) -> Shape:
    first = places[0] if places and places == list(range(places[0], places[0] + len(places))) else 0
    before = [d for i, d in enumerate(dims) if i < first]
    after = [d for i, d in enumerate(dims) if i >= first and i not in places]
    return (*before, *common, *after, *rest)


def _take(rest: list[Dim]) -> Dim:
    if not rest:
        raise NoShape("there are more indices than dimensions")
    return rest.pop(0)


def _indices(node: Node) -> Iterator[Index]:
    """The indices of a node: all inputs after the first, or those that the pattern `idx_list` names (PyTensor 2.38 and later)."""
    pattern = node.params.get("idx_list")
    if isinstance(pattern, list):
        positions = iter(range(1, node.n_inputs))
        yield from (_patterned(node, e, positions) for e in pattern)
        return
    yield from (_given(node, i) for i in range(1, node.n_inputs))


def _patterned(node: Node, entry: object, positions: Iterator[int]) -> Index:
    if isinstance(entry, dict) and isinstance(entry.get("slice"), list):
        return Slice(*[part(node, p, positions) for p in entry["slice"]])
    if isinstance(entry, str) and entry.startswith("slice("):
        parts = [p.strip() for p in entry[len("slice(") : -1].split(",")]
        return Slice(*[None if p == "None" else part(node, "i", positions) for p in parts])
    position = next(positions, None)
    if position is None:
        raise NoShape(f"{node.op.name} has fewer indices than its pattern")
    return position


def _given(node: Node, position: int) -> Index:
    """The index that input number `position` is: a slice, None for a new axis, or the position itself."""
    text = node.type(position).text
    name = node.state.graph.variables[node.apply.inputs[position]].name or ""
    if "NoneType" in text:
        return None
    owner = node.state.graph.variables[node.apply.inputs[position]].owner
    made = None if owner is None else node.state.graph.applies[owner]
    if made is not None and made.op.name == "MakeSlice":
        view = Node(made, node.state)
        return Slice(*[None if "NoneType" in view.type(i).text else view.number(i) for i in range(3)])
    if "slice" in text.lower():
        parts = _SLICE.search(name)
        return Slice(_VAGUE, _VAGUE, None) if parts is None else Slice(*[None if p == "None" else int(p) for p in parts.groups()])
    return position


def _covered(node: Node, position: int, rest: list[Dim]) -> Shape:
    """The shape that the index at input `position` adds; removes the dimensions that it indexes from the front of `rest`."""
    own = node.shape(position)
    if node.type(position).dtype == "bool":
        size = product(own)
        del rest[: len(own)]
        return (size if isinstance(size, Unknown) else Bound(size),)
    if node.type(position).dtype is None and own:
        raise NoShape("it is not printed whether an index is a mask or numbers")
    _take(rest)
    return own


_ADVANCED_INDEXING_RULES: dict[str, Rule] = {"AdvancedSubtensor": advanced, "AdvancedBooleanSubtensor": advanced}
"""Shape rule by class name of the Op, without `Gpu`."""


RULES: dict[str, Rule] = {**_INDEXING_RULES, **_ADVANCED_INDEXING_RULES}
"""Shape rule by class name of the Op."""
