"""A filled scope -> FunctionGraph: Ops with their parameters and maps, nodes in their order."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Op, TypeKind
from .inplace import Plan, infer
from .maps import Maps, derive_maps, printed_maps, scan_maps
from .ops import Parsed, parse_op
from .ordering import is_order, readers_before, schedule
from .scope import Scope, Style


def describe(scope: Scope, node: int, style: Style) -> tuple[Parsed, Maps]:
    """The class, the parameters and the maps of a node."""
    at = scope.applies[node]
    parsed = _scalar(scope, node, parse_op(at.base), style)
    n_inputs, n_outputs = len(scope.inputs[node]), len(scope.outputs[node])
    if at.maps is not None or style.maps:
        maps = printed_maps(at.maps or ("", ""))
        return parsed, Maps(*({o: i for o, i in m.items() if o < n_outputs and max(i) < n_inputs} for m in maps))
    if parsed.name == "Scan":
        kinds = [scope.variables[v].type for v in scope.inputs[node]]
        return parsed, scan_maps(parsed.params, _makers(scope, node), [bool(k.text) and k.ndim == 0 for k in kinds], n_outputs)
    if at.order is not None and (parsed.name == "RandomFunction" or (parsed.name.endswith("RV") and "inplace" not in parsed.params)):
        return parsed, Maps({}, {0: (0,)} if n_inputs else {})  # a compiled function always advances the state in place
    if parsed.name == "Split" and style.capitals:
        parsed = Parsed("Split", {**parsed.params, "views": True})  # in PyTensor the parts are views
    return parsed, derive_maps(parsed.name, parsed.params, n_inputs, n_outputs)


def _makers(scope: Scope, node: int) -> list[str | None]:
    """The classes of the Ops that make the inputs of a node."""
    owners = [scope.variables[v].owner for v in scope.inputs[node]]
    return [None if o is None else parse_op(scope.applies[o].base).name for o in owners]


def _scalar(scope: Scope, node: int, parsed: Parsed, style: Style) -> Parsed:
    """`parsed`, or the scalar Op itself where the text shows that no arrays are meant."""
    if parsed.name != "Elemwise" or "inplace_pattern" in parsed.params:
        return parsed
    kinds = {scope.variables[v].type.kind for v in scope.outputs[node]}
    return Parsed(str(parsed.params["scalar_op"]), {}) if kinds == {TypeKind.SCALAR} or not style.capitals else parsed


class Finished(NamedTuple):
    """A graph, and what the text left open about it."""

    graph: FunctionGraph
    order: list[int]
    """For each Apply the number that its node had in the scope."""
    unsure: frozenset[int]
    """Apply nodes that may overwrite an input without the text saying so."""


def _with_inplace(
    scope: Scope, described: list[tuple[Parsed, Maps]], results: list[int], style: Style
) -> tuple[list[tuple[Parsed, Maps]], frozenset[int]]:
    """`described` with what PyTensor does not print: which Elemwise of a compiled function work in place."""
    names = [p.name for p, _ in described]
    if style.maps or not style.capitals:
        return described, frozenset()
    order = _printed_order(scope)
    if order is None:
        return described, frozenset()
    plan = Plan(
        order, names, scope.inputs, scope.outputs, [m.view for _, m in described], [m.destroy for _, m in described], scope.variables,
        frozenset(results),
    )  # fmt: skip
    found = infer(plan)
    hidden = {i for i, name in enumerate(names) if name == "Elemwise" and any(v in scope.untyped for v in scope.outputs[i])}
    return [(p, Maps(m.view, found.destroy.get(i, m.destroy))) for i, (p, m) in enumerate(described)], found.unsure | hidden


def finish(
    scope: Scope, results: list[int], listed: list[int], style: Style, inner: dict[int, FunctionGraph]
) -> Finished:
    """The graph of a filled `scope`."""
    described = [describe(scope, i, style) for i in range(len(scope.applies))]
    described, unsure = _with_inplace(scope, described, results, style)
    before = readers_before(scope.inputs, scope.outputs, [m.view for _, m in described], [m.destroy for _, m in described])
    order = _order(scope, before)
    place = {old: new for new, old in enumerate(order)}
    ops: dict[object, Op] = {}
    applies = []
    for new, old in enumerate(order):
        parsed, maps = described[old]
        node = scope.applies[old]
        graph = inner.get(id(node.inner)) if node.inner else None
        key = (node.base, parsed.name, tuple(maps.view.items()), tuple(maps.destroy.items()), id(graph))
        if key not in ops:
            ops[key] = Op(parsed.name, node.base, "", parsed.params, maps.view, maps.destroy, graph)
        after = tuple(sorted(place[b] for b in before[old] if place[b] < new))
        applies.append(Apply(new, ops[key], tuple(scope.inputs[old]), tuple(scope.outputs[old]), after))
    variables = [replace(v, owner=place[v.owner]) if v.owner is not None and place[v.owner] != v.owner else v for v in scope.variables]
    first = dict.fromkeys([*listed, *scope.free])
    inputs = tuple(GraphInput(i) for i in first if not isinstance(scope.variables[i], Constant))
    graph_made = FunctionGraph("", inputs, tuple(results), tuple(variables), tuple(applies))
    return Finished(graph_made, order, frozenset(place[n] for n in unsure))


def _owners(scope: Scope) -> list[list[int]]:
    """For each node those that make its inputs."""
    return [[o for o in (scope.variables[v].owner for v in row) if o is not None] for row in scope.inputs]


def _printed_order(scope: Scope) -> list[int] | None:
    """The nodes by their printed numbers, where every node has one and they fit."""
    numbers = [n.order for n in scope.applies]
    if None in numbers or len(set(numbers)) != len(numbers):
        return None
    order = sorted(range(len(numbers)), key=lambda i: numbers[i] or 0)
    return order if _fits(order, _owners(scope)) else None


def _order(scope: Scope, before: list[tuple[int, ...]]) -> list[int]:
    """The printed order, else any order that fits."""
    order = _printed_order(scope)
    if order is not None:
        return order
    owners = _owners(scope)
    order = schedule(owners, before)
    return order if _fits(order, owners) else schedule(owners, [()] * len(owners))  # what overwrites what is read in a circle


def _fits(order: list[int], owners: list[list[int]]) -> bool:
    """Whether each node of `order` stands behind those that make its inputs."""
    place = {old: new for new, old in enumerate(order)}
    return is_order([[place[o] for o in owners[old]] for old in order], ())
