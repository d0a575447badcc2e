"""Changes functions of a script: the shapes in their calls, or nodes of their graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...ir import Apply, FunctionGraph, Op, Shape, ShapeTable, Type, Variable
from ...memory.script import Call, Event, Script

Reshape = Callable[[ShapeTable], Mapping[int, Shape]]
"""Computes new shapes of some Variables of a call, by id, from the shapes of the call."""


def with_shapes(script: Script, function: int, reshape: Reshape) -> Script:
    """Returns the script with different shapes of Variables in all calls of function number `function`."""

    def changed(event: Event) -> Event:
        if not isinstance(event, Call) or event.function != function:
            return event
        shapes = {**event.shapes.shapes, **reshape(event.shapes)}
        return replace(event, shapes=replace(event.shapes, shapes=shapes))

    return replace(script, events=tuple(map(changed, script.events)))


def with_graph(script: Script, function: int, graph: FunctionGraph, reshape: Reshape = lambda table: {}) -> Script:
    """Returns the script with a different graph for function number `function`; `reshape` gives the shapes of its new Variables."""
    old = next(f.graph for f in script.functions if f.index == function)
    functions = tuple(replace(f, graph=graph) if f.index == function else f for f in script.functions)
    changed = with_shapes(replace(script, functions=functions), function, reshape)
    places = _places(old, graph)
    if places == {node.id: node.id for node in old.applies if node.op.inner is not None}:
        return changed

    def moved(event: Event) -> Event:
        if not isinstance(event, Call) or event.function != function:
            return event
        inner = {places[k]: table for k, table in event.shapes.inner.items() if k in places}
        return replace(event, shapes=replace(event.shapes, inner=inner))

    return replace(changed, events=tuple(map(moved, changed.events)))


def _places(old: FunctionGraph, new: FunctionGraph) -> dict[int, int]:
    """Apply id in `old` -> Apply id in `new` of the nodes with inner graphs, which are found by their outputs: those keep their ids."""
    makers = {v: node.id for node in old.applies if node.op.inner is not None for v in node.outputs}
    return {makers[v]: node.id for node in new.applies if node.op.inner is not None for v in node.outputs if v in makers}


@dataclass
class Rewrite:
    """Builds a graph with some nodes of another replaced."""

    graph: FunctionGraph
    """The graph before."""
    variables: list[Variable] = field(default_factory=list)
    """All Variables, old and new."""
    instead: dict[int, list[tuple[Op, tuple[int, ...], tuple[int, ...]]]] = field(default_factory=dict)
    """Old Apply id -> the nodes in its place, as (Op, inputs, outputs)."""

    def __post_init__(self) -> None:
        self.variables = list(self.graph.variables)

    def variable(self, kind: Type, name: str | None = None) -> int:
        """Adds a Variable and returns its id."""
        self.variables.append(Variable(len(self.variables), kind, name))
        return len(self.variables) - 1

    def put(self, node: int, op: Op, inputs: Sequence[int], output: int) -> None:
        """Adds a node that replaces `node`, or one of several nodes that replace it."""
        self.instead.setdefault(node, []).append((op, tuple(inputs), (output,)))

    def remove(self, node: int) -> None:
        """Removes `node` without replacement."""
        self.instead.setdefault(node, [])

    def build(self) -> FunctionGraph:
        """Returns the new graph, with nodes renumbered."""
        applies: list[Apply] = []
        moved: dict[int, int] = {}
        for old in self.graph.applies:
            if old.id not in self.instead:
                moved[old.id] = len(applies)
                after = tuple(moved[a] for a in old.after if a in moved)
                applies.append(replace(old, id=len(applies), after=after))
                continue
            applies += [Apply(len(applies) + k, *row) for k, row in enumerate(self.instead[old.id])]
        owners = {v: node.id for node in applies for v in node.outputs}
        variables = tuple(replace(v, owner=owners.get(v.id)) for v in self.variables)
        return replace(self.graph, variables=variables, applies=tuple(applies))


def reads_lengths(node: Apply) -> bool:
    """Returns whether a node reads nothing of an array but its shape."""
    return node.op.name in ("Shape", "Shape_i")


def pruned(graph: FunctionGraph) -> FunctionGraph:
    """Returns the graph without nodes that no output depends on."""
    wanted = set(graph.outputs)
    rewrite = Rewrite(graph)
    for node in reversed(graph.applies):
        if wanted.isdisjoint(node.outputs):
            rewrite.remove(node.id)
        else:
            wanted.update(node.inputs)
    return rewrite.build()


def origin(graph: FunctionGraph, variable: int) -> int:
    """Returns the Variable of which a Variable without a name is a view or copy."""
    while graph.variables[variable].name is None:
        node = graph.maker(variable)
        if node is None or not (node.op.name.endswith("DimShuffle") or node.op.name == "GpuFromHost"):
            break
        variable = node.inputs[0]
    return variable


def origin_name(graph: FunctionGraph, variable: int) -> str:
    """Returns the name of a Variable, or of the Variable that it is a view or copy of; `...` if there is none."""
    return graph.variables[origin(graph, variable)].name or "..."
