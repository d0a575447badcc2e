"""Trees of nodes -> FunctionGraph, without recursion: a node that several others use becomes one Apply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Op, Type, TypeKind, Unknown, Variable
from ...ir.shape import Shape
from .constants import Literal, read_constant
from .inplace import Plan, infer
from .maps import Maps, derive_maps, printed_maps, scan_maps
from .nodes import InnerText, Node, Ref
from .ops import Parsed, looks_like_op, parse_op
from .ordering import is_order, readers_before, schedule
from .types import NOT_PRINTED, read_type, type_of_name

N_OUTPUTS = {"MaxAndArgmax": 2, "GpuMaxAndArgmax": 2, "RandomFunction": 2, "mrg_uniform": 2, "GPUA_mrg_uniform": 2}
"""Ops that always have more outputs than a text may show."""
NO_INPUTS = frozenset({"AllocEmpty", "GpuAllocEmpty", "MakeVector", "MakeList", "NoneConst"})
"""Ops that may have no inputs: nothing is missing below them."""


@dataclass
class Style:
    """What a text prints at all, so that what it does not print can be told from what is not there."""

    quotes: bool = False
    """Every Apply has its name in quotes, `''` where it has none (Theano, early Aesara)."""
    capitals: bool = False
    """An Elemwise is printed as its scalar Op with a capital (PyTensor)."""
    maps: bool = False
    """destroy_map and view_map are printed."""


@dataclass
class Scope:
    """One graph while it is built."""

    variables: list[Variable] = field(default_factory=list)
    ids: dict[tuple[int, int], int] = field(default_factory=dict)
    """Variable ids by (identity of the node, output)."""
    applies: list[Node] = field(default_factory=list)
    inputs: list[list[int]] = field(default_factory=list)
    outputs: list[list[int]] = field(default_factory=list)
    free: list[int] = field(default_factory=list)
    """Inputs of the graph in the order in which they were met."""
    untyped: set[int] = field(default_factory=set)
    lost: set[int] = field(default_factory=set)
    leaves: dict[int, Node] = field(default_factory=dict)
    """Leaf nodes by Variable id."""


def collect(roots: Iterable[Ref], style: Style) -> list[Node]:
    """The nodes below `roots`, each behind what it uses. A reference that would close a circle is cut off."""
    order: list[Node] = []
    state: dict[int, int] = {}
    for root in roots:
        if id(root.node) in state:
            continue
        stack = [(root.node, 0)]
        state[id(root.node)] = 1
        while stack:
            node, at = stack.pop()
            children = node.children or []
            if at == len(children):
                _settle(node, style)
                state[id(node)] = 2
                order.append(node)
                continue
            stack.append((node, at + 1))
            below = children[at].node
            known = state.get(id(below), 0)
            if known == 1:
                children[at] = Ref(_placeholder(below), 0)
            elif known == 0:
                state[id(below)] = 1
                stack.append((below, 0))
    return order


def _placeholder(node: Node) -> Node:
    """Stands where `node` cannot."""
    from .model import Label

    made = Node(Label("", ""), node.line)
    made.lost = True
    return made


def _settle(node: Node, style: Style) -> None:
    """Decides whether a line without evidence is an Apply whose inputs are not printed."""
    if not node.is_apply and not node.lost and not style.quotes and looks_like_op(node.head) and read_constant(node.head) is None:
        node.become_apply()


def fill(scope: Scope, roots: list[Ref], listed: list[Node], style: Style) -> list[int]:
    """Puts all nodes below `roots` into `scope`; the Variables of `roots`."""
    nodes = collect([*(Ref(n, 0) for n in listed), *roots], style)
    known = {id(n) for n in nodes}
    for below in [r.node for n in nodes for r in n.children or () if id(r.node) not in known]:
        _leaf(scope, below)
    for node in nodes:
        if node.is_apply:
            _apply(scope, node)
        else:
            _leaf(scope, node)
    return [_variable(scope, r) for r in roots]


def _variable(scope: Scope, ref: Ref) -> int:
    """The Variable that `ref` means."""
    at = scope.ids.get((id(ref.node), ref.output))
    return scope.ids[id(ref.node), 0] if at is None else at


def _leaf(scope: Scope, node: Node) -> None:
    if (id(node), 0) in scope.ids:
        return
    number = len(scope.variables)
    scope.ids[id(node), 0] = number
    scope.leaves[number] = node
    seen = node.seen.get(0)
    text = (seen.type if seen else "") or type_of_name(node.head) or ""
    kind = read_type(text) if text else NOT_PRINTED
    literal = None if node.lost or type_of_name(node.head) else read_constant(node.head)
    if literal is not None:
        if not text and literal.kind is not TypeKind.OTHER:
            kind = Type(literal.kind, None, tuple(d if isinstance(d, int) else None for d in literal.shape), "")
        scope.variables.append(Constant(number, kind, None, shape=_constant_shape(kind, literal), value=literal.value))
    else:
        name = None if node.lost or type_of_name(node.head) else node.head
        scope.variables.append(Variable(number, kind, name))
        scope.free.append(number)
    if not text:
        scope.untyped.add(number)
    if node.lost:
        scope.lost.add(number)


def _constant_shape(kind: Type, literal: Literal) -> Shape:
    """From the value where it is whole, else from the type."""
    if not any(isinstance(d, Unknown) for d in literal.shape) and (kind.text == "" or len(literal.shape) == kind.ndim):
        return literal.shape
    if kind.text and kind.kind is not TypeKind.OTHER:
        return tuple(Unknown("the constant's value is printed shortened") if d is None else d for d in kind.shape)
    return literal.shape


def _apply(scope: Scope, node: Node) -> None:
    scope.inputs.append([_variable(scope, r) for r in node.children or ()])
    made = []
    name = parse_op(node.base).name
    for output in range(max(node.n_outputs, N_OUTPUTS.get(name, 1))):
        number = len(scope.variables)
        scope.ids[id(node), output] = number
        seen = node.seen.get(output)
        kind = read_type(seen.type) if seen and seen.type else NOT_PRINTED
        if not seen or not seen.type:
            scope.untyped.add(number)
        scope.variables.append(Variable(number, kind, (seen.name or None) if seen else None, len(scope.applies)))
        made.append(number)
    scope.outputs.append(made)
    scope.applies.append(node)


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


def inner_texts(nodes: Iterable[Node]) -> list[InnerText]:
    """The inner graphs that `nodes` have."""
    return [n.inner for n in nodes if n.inner is not None]
