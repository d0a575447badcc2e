"""Infers the shape table of a captured call for other input shapes with our own rules, if these reproduce the captured table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ..ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Unknown
from ..ir.graph import computed_from
from ..ir.shape import Value
from ..shapes import infer
from ..shapes.consistency import contradictions, contradictions_of_nodes

ROUNDS = 12
"""Number of rounds in which shapes without a rule are taken from the captured table, nearest to the inputs first."""
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
        self._counted: dict[frozenset[tuple[int, Shape]], int] = {}
        self._tables: dict[frozenset[tuple[int, object]], ShapeTable] = {}

    @cached_property
    def _base(self) -> tuple[ShapeTable, dict[int, Shape]]:
        """(shape table of the unchanged call by our rules, shapes that had to be taken from the captured table)."""
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
        """Whether our table lacks, or contradicts, a shape of a computed Variable that the captured table knows."""
        theirs = exact(self.table.shape(variable))
        return theirs is not None and self.graph.variables[variable].owner is not None and mine.shape(variable) != theirs

    def _inputs_of(self, variable: int) -> tuple[int, ...]:
        owner = self.graph.variables[variable].owner
        return () if owner is None else self.graph.applies[owner].inputs

    @cached_property
    def _alien(self) -> set[int]:
        """Ids of the Apply nodes for which our rules do not reproduce the captured shapes, of their outputs or in their inner graphs."""
        mine, pins = self._base
        nodes = {int(owner) for v in pins if (owner := self.graph.variables[v].owner) is not None}
        return nodes | {node for node, inner in self.table.inner.items() if node not in mine.inner or not agrees(mine.inner[node], inner)}

    def table_for(self, changed: Mapping[int, Shape]) -> ShapeTable | Unknown:
        """Returns the table with these shapes of the inputs `changed`; Unknown, with the reason, if the shape rules cannot infer it."""
        changed = {v: s for v, s in changed.items() if self.table.shape(v) != s}
        if not changed:
            return self.table
        inside = sorted(p for p in self._pairs(changed) if p[0] > 1 and is_written_inside(self.graph, p[0]))
        if inside:
            return self._with_inner_lengths(changed, inside)
        table = self._replayed(changed, {})
        for written in self._written(changed) if isinstance(table, Unknown) else ():
            again = self._replayed(changed, written)
            if not isinstance(again, Unknown):
                return again
        return table

    def _with_inner_lengths(self, changed: Mapping[int, Shape], pairs: Sequence[tuple[int, int]]) -> ShapeTable | Unknown:
        """The table with the lengths `pairs` (old, new) changed in inner graphs too; Unknown if an array keeps such a length: it might be
        the one that a constant there gives, as the number of hidden units may be that of the rows.
        """
        for most in (1, None):
            new = self._replayed(changed, {}, with_inner_lengths(self.graph, pairs, most))
            if not isinstance(new, Unknown) and not any(has_length(new, old) for old, _ in pairs):
                return new
        return Unknown(f"{', '.join(str(old) for old, _ in pairs)} is written in the step of a loop too")

    def _replayed(
        self, changed: Mapping[int, Shape], written: Mapping[int, Value], graph: FunctionGraph | None = None
    ) -> ShapeTable | Unknown:
        """The table with the shapes `changed` and with the values `written` for constants; Unknown, with the reason, if it may be wrong.

        `graph`: the graph with other constants in its inner graphs; None: as it is.
        """
        mine, numbers = self._base[0], {**self._numbers(changed), **written}
        new = self._inferred(changed, numbers) if graph is None else self._infer(graph, changed, numbers)
        reached = computed_from(self.graph, (*changed, *numbers))
        why = next(self._doubts(mine, new, reached), None)
        return Unknown(why) if why else self._result(new, reached)

    def _written(self, changed: Mapping[int, Shape]) -> list[dict[int, Value]]:
        """Values for the constants that fix a changing length in the graph: `x.reshape((B, 1, 28, 28))`, `zeros((B, 500))`.

        The first item changes only the first axis of that length in each constant (B may be 500 too); the second changes all such axes;
        the third the first axis that has that length or a multiple of it (`x.reshape((B * 80, 500))`).
        """
        pairs = sorted(self._pairs(changed))
        choices: list[dict[int, Value]] = []
        for most, multiples in ((1, False), (None, False), (1, True)):
            lengths = {k: v for pair in pairs for k, v in written_lengths(self.graph, *pair, most, multiples).items()}
            choices += [lengths] if lengths and lengths not in choices else []
        return choices

    def _pairs(self, changed: Mapping[int, Shape]) -> set[tuple[int, int]]:
        """(old, new) of all lengths that change."""
        return {pair for v, s in changed.items() for pair in self._lengths(v, s)}

    def _lengths(self, variable: int, shape: Shape) -> Iterator[tuple[int, int]]:
        """Yields (old, new) for each length of a Variable that changes."""
        old = self.table.shape(variable)
        for before, after in () if isinstance(old, Unknown) else zip(old, shape):
            if isinstance(before, int) and isinstance(after, int) and before != after:
                yield before, after

    def conflicts(self, changed: Mapping[int, Shape]) -> int:
        """Returns the number of nodes whose inputs would be inconsistent; cached, because a search repeats the query for
        unchanged calls.
        """
        key = frozenset(changed.items())
        if key not in self._counted:
            numbers = self._numbers(changed)
            kept = self._count(changed, numbers)
            counts = (self._count(changed, {**numbers, **written}) for written in (self._written(changed) if kept else ()))
            self._counted[key] = min((kept, *counts))
        return self._counted[key]

    def _count(self, changed: Mapping[int, Shape], numbers: Mapping[int, Value]) -> int:
        return sum(1 for _ in contradictions(self.graph, self._inferred(changed, numbers)))

    def _inferred(self, changed: Mapping[int, Shape], numbers: Mapping[int, Value]) -> ShapeTable:
        """The shapes that the shape rules give for these shapes and numbers. Cached, because a search asks for each change twice."""
        key = frozenset((*changed.items(), *((~v, x) for v, x in numbers.items())))
        if key not in self._tables:
            self._tables[key] = self._infer(self.graph, changed, numbers)
        return self._tables[key]

    def _infer(self, graph: FunctionGraph, changed: Mapping[int, Shape], numbers: Mapping[int, Value]) -> ShapeTable:
        return infer(graph, {**self.inputs, **changed, **self._base[1]}, {**self.values, **numbers})

    def _numbers(self, changed: Mapping[int, Shape]) -> dict[int, Value]:
        """New values of the numbers that determine how many rows a slice has, if these change: `B` in `data[i * B:(i + 1) * B]`."""
        numbers: dict[int, Value] = {}
        for v, shape in changed.items():
            owner = self.graph.variables[v].owner
            for before, after in () if owner is None else self._lengths(v, shape):
                numbers.update(cut_numbers(self.graph, self.table, owner or 0, before, after))
        return numbers

    def _doubts(self, mine: ShapeTable, new: ShapeTable, reached: set[int]) -> Iterator[str]:
        """Yields reasons why the new table could be wrong."""
        for number in sorted(self._alien):
            node = self.graph.applies[number]
            if not all(self._same(v, mine, new, reached) for v in node.inputs):
                yield f"the output shapes of {node.op.name} for other input shapes are not known"
        for v, shape in self.table.shapes.items():
            if exact(shape) is not None and exact(shape_now := new.shape(v)) is None:
                yield shape_now.reason if isinstance(shape_now, Unknown) else "a dimension would depend on data"
        for node in self.graph.applies:
            if node.op.name in BY_VALUE and any(v in self.table.values and v not in new.values and v in reached for v in node.inputs):
                yield f"how often or whether {node.op.name} runs is not known for other shapes"
        for number, description in contradictions_of_nodes(self.graph, new, self.graph.outputs):
            if number not in self._incompatible:
                yield f"the shapes would be incompatible: {description}"

    @cached_property
    def _incompatible(self) -> frozenset[int]:
        """The nodes whose inputs are incompatible in the captured table: such a call fails, whatever its lengths are."""
        return frozenset(number for number, _ in contradictions_of_nodes(self.graph, self.table, self.graph.outputs))

    def _same(self, v: int, mine: ShapeTable, new: ShapeTable, reached: set[int]) -> bool:
        """Whether a node sees the same at input `v` as before: equal shape, and no number that may differ."""
        if v not in reached:
            return True
        if new.shape(v) != self.table.shape(v):
            return False
        dtype, value = self.graph.variables[v].type.dtype or "", new.values.get(v)
        return dtype.startswith(("float", "complex")) or (value is not None and mine.values.get(v) == value)

    def _result(self, new: ShapeTable, reached: set[int]) -> ShapeTable:
        """The new table, with Unknown for all that the captured table leaves unknown."""
        shapes = {v: masked(old, new.shape(v)) for v, old in self.table.shapes.items()}
        values = {**{v: x for v, x in self.table.values.items() if v not in reached}, **new.values}
        inner = {k: new.inner[k] if k in new.inner and k not in self._alien else t for k, t in self.table.inner.items()}
        return replace(new, shapes=shapes, values=values, inner=inner)


def cut_numbers(graph: FunctionGraph, table: ShapeTable, node: int, before: int, after: int) -> dict[int, Value]:
    """Returns new values for the constants `before` from which the ends of a slice are computed; if there are none, for the end that the
    caller passes.
    """
    ends = graph.applies[node].inputs[1:]
    numbers = scalars_behind(graph, ends)
    constants = {v: after for v in numbers if isinstance(c := graph.variables[v], Constant) and only_number(c.value) == before}
    if constants:
        return dict(constants)
    given = {v: n for v in numbers if graph.variables[v].owner is None and (n := only_number(table.values.get(v))) is not None}
    last = [v for v, n in given.items() if n - before in (0, *given.values()) and not isinstance(graph.variables[v], Constant)]
    return {last[-1]: given[last[-1]] - before + after} if len(last) == 1 else {}


def scalars_behind(graph: FunctionGraph, variables: Sequence[int]) -> list[int]:
    """Returns the ids of the Variables without dimensions from which these are computed, nearest first."""
    behind: dict[int, None] = {}
    todo = list(variables)
    while todo:
        v = todo.pop(0)
        if v not in behind and graph.variables[v].type.ndim == 0:
            behind[v] = None
            owner = graph.variables[v].owner
            todo += graph.applies[owner].inputs if owner is not None and "Shape" not in graph.applies[owner].op.name else ()
    return list(behind)


def written_lengths(graph: FunctionGraph, before: int, after: int, most: int | None = None, multiples: bool = False) -> dict[int, Value]:
    """Returns the constants that give the length `before` to a reshape, a new array or random numbers, with `after` in its place.

    If a constant has several lengths equal to `before`, only the first `most` of them change (None: all of them). With `multiples`, a
    constant of a reshape without a length equal to `before` has its multiples of `before` changed to as many times `after`.
    """
    lengths: dict[int, Value] = {}
    for node in graph.applies:
        name = node.op.name.removeprefix("Gpu")
        if name in ("Alloc", "AllocEmpty"):
            first = node.inputs[1:] if name == "Alloc" else node.inputs
        elif name in ("Reshape", "MakeVector") or "random" in name.lower() or "mrg" in name.lower():
            first = node.inputs if name == "MakeVector" else node.inputs[1:]
        else:
            continue
        for v in first:
            value = c.value if isinstance(c := graph.variables[v], Constant) else None
            if isinstance(value, tuple) and len(value) > 1 and (places := _places(value, before, multiples and name == "Reshape")):
                changed = dict(list(places.items())[:most])
                lengths[v] = tuple(changed[k] * after if k in changed else n for k, n in enumerate(value))
            elif only_number(value) == before and name not in ("Reshape",):
                lengths[v] = after
    return lengths


def _places(value: tuple[Value, ...], length: int, multiples: bool) -> dict[int, int]:
    """The axes with this length (times 1); if there are none and `multiples`, those that are several times as long, and how many times."""
    places = {k: 1 for k, n in enumerate(value) if n == length}
    whole = {k: n // length for k, n in enumerate(value) if multiples and isinstance(n, int) and n > 0 and n % length == 0}
    return places or whole


def is_written_inside(graph: FunctionGraph, length: int) -> bool:
    """Returns whether a constant in an inner graph, such as the step of a Scan, gives this length to an array."""
    inner = (node.op.inner for node in graph.applies if node.op.inner is not None)
    return any(written_lengths(g, length, length - 1) or is_written_inside(g, length) for g in inner)


def with_inner_lengths(graph: FunctionGraph, pairs: Sequence[tuple[int, int]], most: int | None) -> FunctionGraph:
    """Returns the graph with the lengths of `pairs` (old, new) changed in constants of its inner graphs, as in `written_lengths`."""
    return replace(graph, applies=tuple(_with_inner_lengths(node, pairs, most) for node in graph.applies))


def _with_inner_lengths(node: Apply, pairs: Sequence[tuple[int, int]], most: int | None) -> Apply:
    if node.op.inner is None:
        return node
    inner = with_inner_lengths(node.op.inner, pairs, most)
    lengths = {v: value for pair in pairs for v, value in written_lengths(inner, *pair, most).items()}
    variables = tuple(
        replace(v, value=_nested(v.value, lengths[v.id])) if isinstance(v, Constant) and v.id in lengths else v for v in inner.variables
    )
    return replace(node, op=replace(node.op, inner=replace(inner, variables=variables)))


def _nested(before: Value | None, value: Value) -> Value:
    """`value` in as many tuples as `before`, if it is a number."""
    return (_nested(before[0], value),) if isinstance(before, tuple) and not isinstance(value, tuple) else value


def has_length(table: ShapeTable, length: int) -> bool:
    """Returns whether an array of the table, or of its inner tables, has an axis of this length."""
    return any(length in s for s in table.shapes.values() if not isinstance(s, Unknown)) or any(
        has_length(inner, length) for inner in table.inner.values()
    )


def reshaped_lengths(graph: FunctionGraph) -> set[int]:
    """Returns the lengths that reshapes have as constants."""
    given = (graph.variables[v] for node in graph.applies if node.op.name.endswith("Reshape") for v in node.inputs[1:])
    values = (c.value for c in given if isinstance(c, Constant))
    return {n for value in values if isinstance(value, tuple) for n in value if isinstance(n, int)}


def only_number(value: Value | None) -> int | None:
    """Returns the value if it is a single whole number, else None."""
    while isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    return int(value) if isinstance(value, int) and not isinstance(value, bool) else None


def exact(shape: Shape | Unknown) -> Shape | None:
    """Returns the shape if it is completely known, else None."""
    return None if isinstance(shape, Unknown) or any(isinstance(d, Unknown) for d in shape) else shape


def masked(old: Shape | Unknown, new: Shape | Unknown) -> Shape | Unknown:
    """Returns the new shape, with Unknown wherever the old one was."""
    if isinstance(old, Unknown) or isinstance(new, Unknown) or len(old) != len(new):
        return old if isinstance(old, Unknown) else new
    return tuple(a if isinstance(a, Unknown) else b for a, b in zip(old, new))


def agrees(mine: ShapeTable, theirs: ShapeTable) -> bool:
    """Returns whether our table of an inner graph contains everything in the captured one."""
    if any(exact(s) is not None and mine.shape(v) != s for v, s in theirs.shapes.items()):
        return False
    return all(node in mine.inner and agrees(mine.inner[node], t) for node, t in theirs.inner.items())
