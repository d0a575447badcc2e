"""Assumes types for a text that prints none: dtypes by dtype rules, host or device by the names of Ops, static shapes by inferred shapes.

A type is assumed where the number of dimensions is known. What is not certain is assumed large: int64 for integers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..ir import Apply, FunctionGraph, ShapeTable, Type, TypeKind, Variable
from ..ir.graph import NUMBER
from ..ir.scan import has_scan_layout
from .all_rules import REGISTRY
from .assumed_inputs import Inputs, Premises, is_missing
from .assumed_types import AssumedShapes, What, array_type, bare_type, shapes_of
from .device_placement import device_of, place_of
from .dtypes import TypeQuery, dtypes_of, of_whole
from .inner import numbered
from .scan_alignment import stepped
from .scan_roles import roles_of
from .state import Node, State

Types = dict[int, dict[int, Type]]
"""Assumed types by number of the graph in the text (0: the outer one), then by Variable id."""


@dataclass
class _Assuming:
    """What is given, and the types that were assumed so far."""

    told: Premises
    lengths: bool
    types: Types = field(default_factory=dict)
    inside: dict[object, tuple[AssumedShapes, list[What]]] = field(default_factory=dict)
    """Types of the outputs of inner graphs, since many nodes may share one; stored with the shapes, whose identity is part of the key."""


def assumed(graph: FunctionGraph, table: ShapeTable, floatX: str, named: Mapping[str, str], lengths: bool = False) -> Types:
    """A type for each untyped Variable of `graph` and of its inner graphs whose number of dimensions `table` tells.

    `named` are dtypes of inputs by name. `lengths`: whether the framework's types state every fixed length, and not only 1.
    """
    work = _Assuming(Premises(floatX, named, device_of(graph), {}), lengths)
    _GraphWalk(work, graph, shapes_of(graph, table), {}).run()
    return work.types


class _GraphWalk:
    """Assumes the types of one graph, from its inputs to its outputs."""

    def __init__(
        self, work: _Assuming, graph: FunctionGraph, shapes: AssumedShapes, first: Mapping[int, What], scalars: bool = False
    ) -> None:
        self._work, self._graph, self._shapes, self._scalars = work, graph, shapes, scalars
        self._inputs = Inputs(work.told, graph, shapes.real, first, scalars)
        self.made: list[What] = [(v.type.dtype, None if is_missing(v) else v.type.kind) for v in graph.variables]

    def run(self) -> None:
        """Types the inputs, then the nodes in order; then records the assumed types."""
        graph = self._graph
        for v in graph.variables:
            if v.owner is None and is_missing(v):
                self.made[v.id] = self._inputs.of(v)
        for node in graph.applies:
            self._node(node)
        ranks = {} if self._scalars else self._shapes.ranks(graph)
        number = graph.info.get(NUMBER, 0)
        rows = self._work.types.setdefault(number, {}) if isinstance(number, int) else {}
        for v in graph.variables:
            if is_missing(v) and (kind := self._type_of(v, ranks)) is not None:
                rows.setdefault(v.id, kind)

    def _type_of(self, v: Variable, ranks: Mapping[int, int]) -> Type | None:
        """The assumed type of `v`; None where neither its shape nor its number of dimensions (`ranks`) is known."""
        bare = bare_type(self.made[v.id])
        if bare is not None or self.made[v.id][1] is TypeKind.SCALAR:
            return bare
        lengths = self._shapes.lengths(self._graph, v)
        if lengths is None:
            lengths = (None,) * ranks[v.id] if v.id in ranks else None
        return None if lengths is None else array_type(self.made[v.id], lengths, only_ones=not self._work.lengths)

    def _node(self, node: Apply) -> None:
        """Types the outputs of a node: by its inner graph, else by the dtype rules."""
        told, ins = self._work.told, [self.made[v] for v in node.inputs]
        kinds = [kind for _, kind in ins]
        made = self._inside(node, ins) if node.op.inner is not None else None
        if made is None:
            scalar = self._scalars or (set(kinds) == {TypeKind.SCALAR} and REGISTRY.rule(node.op.name) is None)
            dtypes = dtypes_of(TypeQuery(node.op.name, node.op.params, [d for d, _ in ins], len(node.outputs), told.floatX, scalar))
            made = [(d, place_of(node.op, kinds, told.device, k)) for k, d in enumerate(dtypes)]
        for v, (dtype, kind) in zip(node.outputs, made):
            if not is_missing(self._graph.variables[v]):
                continue
            kind = TypeKind.RANDOM if v in self._inputs.states else TypeKind.SCALAR if self._scalars else kind
            self.made[v] = of_whole(dtype) if v in self._inputs.whole else dtype, kind

    def _inside(self, node: Apply, ins: Sequence[What]) -> list[What] | None:
        """Dtypes and kinds of the outputs by the inner graph; None where that does not tell."""
        inner = node.op.inner
        if inner is None or node.op.name.startswith("Blockwise"):
            return None
        if node.op.name.endswith("Scan"):
            return self._of_scan(node, inner)
        scalars = self._scalars or node.op.name in ("Elemwise", "GpuElemwise", "Composite")
        places = {i.variable: numbered(inner, k) for k, i in enumerate(inner.inputs)}
        first = {v: (ins[p][0], TypeKind.SCALAR) if scalars else ins[p] for v, p in places.items() if p < len(ins)}
        made = self._made_inside(inner, self._shapes.inside(node), first, scalars)
        if not scalars or all(kind is TypeKind.SCALAR for _, kind in ins):
            return made
        place = self._work.told.device if node.op.name.startswith("Gpu") else TypeKind.TENSOR
        return [(dtype, place) for dtype, _ in made]

    def _made_inside(self, inner: FunctionGraph, shapes: AssumedShapes, first: Mapping[int, What], scalars: bool) -> list[What]:
        """Dtypes and kinds of an inner graph's outputs; computed once for equal inputs."""
        key = id(inner), tuple(first.items()), scalars or (id(shapes.real), id(shapes.fixed))
        if key not in self._work.inside:
            walk = _GraphWalk(self._work, inner, shapes, first, scalars)
            walk.run()
            self._work.inside[key] = shapes, [walk.made[v] for v in inner.outputs]
        return self._work.inside[key][1]

    def _of_scan(self, node: Apply, inner: FunctionGraph) -> list[What]:
        """Types of a Scan's outputs: recurrences have the types of their buffers; other outputs stack what a step makes."""
        found = stepped(self._graph, node, self._shapes.real)
        first = {} if found is None else {v: self.made[node.inputs[p]] for v, p in found.fed_by.items()}
        shapes = self._shapes.inside(node) if found is None else self._shapes.of_step(node, inner, found)
        walk = _GraphWalk(self._work, inner, shapes, first)
        walk.run()
        roles = roles_of(Node(node, State(self._graph, []))) if has_scan_layout(inner.info) else None
        if roles is None:
            return [(None, None)] * len(node.outputs)
        made = [self.made[node.inputs[p]] for p in roles.buffers]
        made += [walk.made[inner.outputs[k]] for _, k in roles.stacked]
        made += [self.made[node.inputs[p]] for p in roles.shared]
        return made + [(None, None)] * (len(node.outputs) - len(made))
