"""Infers the shape table of a captured call for other input shapes, by our own rules, if these reproduce the captured table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from ..ir import Constant, FunctionGraph, Shape, ShapeTable, Unknown
from ..shapes import infer
from ..shapes.consistency import contradictions

ROUNDS = 12
"""Number of times that shapes which no rule of ours tells are taken from the captured table, nearest to the inputs first."""
BY_VALUE = ("Scan", "IfElse")
"""Ops whose memory depends on small values of their inputs."""


class Reinfer:
    """Infers the shapes of one captured call for changed input shapes."""

    def __init__(self, graph: FunctionGraph, table: ShapeTable) -> None:
        self.graph = graph
        self.table = table
        sources = [v.id for v in graph.variables if v.owner is None and not isinstance(v, Constant)]
        self.inputs = {v: s for v in sources if (s := exact(table.shape(v))) is not None}
        self.values = {v: table.values[v] for v in sources if v in table.values}

    @cached_property
    def _base(self) -> tuple[ShapeTable, dict[int, Shape]]:
        """Our shape table of the unchanged call, and the shapes that had to be taken from the captured one."""
        pins: dict[int, Shape] = {}
        for _ in range(ROUNDS):
            mine = infer(self.graph, {**self.inputs, **pins}, self.values)
            missing = {v for v in self.table.shapes if v not in pins and self._differs(mine, v)}
            nearest = {v for v in missing if not missing & set(self._inputs_of(v))}
            if not nearest:
                break
            pins.update({v: shape for v in nearest if (shape := exact(self.table.shape(v))) is not None})
        return mine, pins

    def _differs(self, mine: ShapeTable, variable: int) -> bool:
        """Whether our table lacks, or contradicts, a shape that the captured table knows."""
        theirs = exact(self.table.shape(variable))
        return theirs is not None and self.graph.variables[variable].owner is not None and mine.shape(variable) != theirs

    def _inputs_of(self, variable: int) -> tuple[int, ...]:
        owner = self.graph.variables[variable].owner
        return () if owner is None else self.graph.applies[owner].inputs

    @cached_property
    def _alien(self) -> set[int]:
        """Ids of the Apply nodes for which our rules do not give the captured shapes, of outputs or inside."""
        mine, pins = self._base
        found = {int(owner) for v in pins if (owner := self.graph.variables[v].owner) is not None}
        return found | {node for node, inner in self.table.inner.items() if node not in mine.inner or not agrees(mine.inner[node], inner)}

    def table_for(self, changed: Mapping[int, Shape]) -> ShapeTable | Unknown:
        """The table with these shapes of the inputs `changed`; Unknown, with the reason, where our rules cannot tell it."""
        changed = {v: s for v, s in changed.items() if self.table.shape(v) != s}
        if not changed:
            return self.table
        mine, pins = self._base
        new = infer(self.graph, {**self.inputs, **changed, **pins}, self.values)
        reached = reachable(self.graph, changed)
        why = next(self._doubts(mine, new, reached), None)
        return Unknown(why) if why else self._result(new, reached)

    def conflicts(self, changed: Mapping[int, Shape]) -> int:
        """Number of nodes whose inputs would not fit together."""
        return sum(1 for _ in contradictions(self.graph, infer(self.graph, {**self.inputs, **changed, **self._base[1]}, self.values)))

    def _doubts(self, mine: ShapeTable, new: ShapeTable, reached: set[int]) -> Iterator[str]:
        """Yields reasons why the new table could be wrong."""
        for number in sorted(self._alien):
            node = self.graph.applies[number]
            if not all(self._same(v, mine, new, reached) for v in node.inputs):
                yield f"what {node.op.name} makes of other shapes is not known"
        for v, shape in self.table.shapes.items():
            if exact(shape) is not None and exact(found := new.shape(v)) is None:
                yield found.reason if isinstance(found, Unknown) else "a dimension would depend on data"
        for node in self.graph.applies:
            if node.op.name in BY_VALUE and any(v in self.table.values and v not in new.values and v in reached for v in node.inputs):
                yield f"how often or whether {node.op.name} runs is not known for other shapes"
        if next(contradictions(self.graph, self.table), None) is None:
            yield from (f"the shapes would not fit together: {c}" for c in contradictions(self.graph, new))

    def _same(self, v: int, mine: ShapeTable, new: ShapeTable, reached: set[int]) -> bool:
        """Whether a node sees the same at input `v` as before: equal shape, and no number that may differ."""
        if v not in reached:
            return True
        if new.shape(v) != self.table.shape(v):
            return False
        dtype, value = self.graph.variables[v].type.dtype or "", new.values.get(v)
        return dtype.startswith(("float", "complex")) or (value is not None and mine.values.get(v) == value)

    def _result(self, new: ShapeTable, reached: set[int]) -> ShapeTable:
        """The new table; what the captured table leaves open stays open."""
        shapes = {v: masked(old, new.shape(v)) for v, old in self.table.shapes.items()}
        values = {**{v: x for v, x in self.table.values.items() if v not in reached}, **new.values}
        inner = {k: new.inner[k] if k in new.inner and k not in self._alien else t for k, t in self.table.inner.items()}
        return replace(new, shapes=shapes, values=values, inner=inner)


def exact(shape: Shape | Unknown) -> Shape | None:
    """The shape if it is known entirely, else None."""
    return None if isinstance(shape, Unknown) or any(isinstance(d, Unknown) for d in shape) else shape


def masked(old: Shape | Unknown, new: Shape | Unknown) -> Shape | Unknown:
    """The new shape, Unknown wherever the old one was."""
    if isinstance(old, Unknown) or isinstance(new, Unknown) or len(old) != len(new):
        return old if isinstance(old, Unknown) else new
    return tuple(a if isinstance(a, Unknown) else b for a, b in zip(old, new))


def agrees(mine: ShapeTable, theirs: ShapeTable) -> bool:
    """Whether our table of an inner graph has all that the captured one has."""
    if any(exact(s) is not None and mine.shape(v) != s for v, s in theirs.shapes.items()):
        return False
    return all(node in mine.inner and agrees(mine.inner[node], t) for node, t in theirs.inner.items())


def reachable(graph: FunctionGraph, sources: Mapping[int, Shape]) -> set[int]:
    """The Variables `sources`, and all that are computed from them."""
    found = set(sources)
    for node in graph.applies:
        if not found.isdisjoint(node.inputs):
            found.update(node.outputs)
    return found
