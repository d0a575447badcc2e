"""Collects the nodes of one printed graph, without recursion, and numbers them as Variables and Apply nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from ..ir import Constant, Type, TypeKind, Unknown, Variable
from ..ir.shape import Shape, Static, is_exact
from ..ops import op_info
from .constants import Literal, read_constant
from .model import Label
from .nodes import NOT_PRINTED, NOTHING_SEEN, InnerText, PrintedNode, Ref, read_type, static_of, type_of_name
from .op_names import looks_like_op, parse_op


@dataclass
class PrintStyle:
    """Which details a text prints for every node. A detail that is missing at one node can then be distinguished from a detail that is
    never printed.
    """

    quotes: bool = False
    """Whether every Apply has its name in quotes, `''` if it has none (Theano, early Aesara)."""
    capitals: bool = False
    """Whether an Elemwise is printed as its scalar Op with a capital letter (PyTensor)."""
    maps: bool = False
    """Whether destroy_map and view_map are printed."""
    grouped: bool = False
    """Whether nodes with equal Ops share one printed inner graph, with all their ids (PyTensor 3.3)."""
    arrays: bool = False
    """Whether untyped Variables are treated as arrays, since types are still to be assumed."""


@dataclass
class PrintScope:
    """The nodes and Variables of one graph while it is built."""

    variables: list[Variable] = field(default_factory=list)
    """All Variables, by id."""
    ranges: dict[int, range] = field(default_factory=dict)
    """Variable ids of each node, by `id()` of the node."""
    applies: list[PrintedNode] = field(default_factory=list)
    """All Apply nodes."""
    inputs: list[list[int]] = field(default_factory=list)
    """Variable ids of the inputs of each Apply."""
    outputs: list[list[int]] = field(default_factory=list)
    """Variable ids of the outputs of each Apply."""
    free: list[int] = field(default_factory=list)
    """Inputs of the graph, in the order in which they were met."""
    untyped: set[int] = field(default_factory=set)
    """Ids of the Variables without a printed type."""
    static: dict[int, Static] = field(default_factory=dict)
    """Static shapes that `print_shape` shows, by Variable id."""
    lost: set[int] = field(default_factory=set)
    """Ids of the Variables that stand for what could not be read."""
    leaves: dict[int, PrintedNode] = field(default_factory=dict)
    """Leaf nodes by Variable id."""

    numbered: bool = False
    """Whether `applies` are in their printed order, which is topological; False where the text gives no such order."""

    def owners(self) -> list[list[int]]:
        """Returns for each Apply the indices of the Apply nodes that compute its inputs; complete once all nodes are added."""
        variables = self.variables
        return [[o for v in row if (o := variables[v].owner) is not None] for row in self.inputs]


def collect(roots: Iterable[Ref], style: PrintStyle) -> list[PrintedNode]:
    """Returns the nodes below `roots`, each after its inputs.

    A reference that would close a cycle is replaced by a placeholder, which comes first.
    """
    order: list[PrintedNode] = []
    instead: list[PrintedNode] = []
    closed: dict[int, bool] = {}
    for root in roots:
        if id(root.node) in closed:
            continue
        closed[id(root.node)] = False
        stack = [(root.node, enumerate(root.node.children or ()))]
        while stack:
            node, rest = stack[-1]
            for at, (below, _) in rest:
                known = closed.get(id(below))
                if known is None:
                    closed[id(below)] = not below.children
                    if below.children:
                        stack.append((below, enumerate(below.children)))
                        break
                    _settle(below, style)
                    order.append(below)
                elif not known and node.children:
                    instead.append(_placeholder(below))
                    node.children[at] = Ref(instead[-1], 0)
            else:
                stack.pop()
                if not node.is_apply:
                    _settle(node, style)
                closed[id(node)] = True
                order.append(node)
    return instead + order


def _placeholder(node: PrintedNode) -> PrintedNode:
    """A lost node to replace a reference that would close a cycle."""
    placeholder = PrintedNode(Label("", ""), node.line)
    placeholder.lost = True
    return placeholder


def _settle(node: PrintedNode, style: PrintStyle) -> None:
    """Decides whether a line without evidence is an Apply whose inputs are not printed."""
    if not node.is_apply and not node.lost and not style.quotes and looks_like_op(node.head) and read_constant(node.head) is None:
        node.become_apply()


def fill(scope: PrintScope, roots: list[Ref], listed: list[PrintedNode], style: PrintStyle) -> list[int]:
    """Adds all nodes below `roots` and `listed` to `scope`; returns the Variables of `roots`."""
    nodes = collect([*(Ref(n, 0) for n in listed), *roots], style)
    applies = []
    for node in nodes:
        if node.is_apply:
            applies.append(node)
        else:
            _leaf(scope, node)
    scope.numbered = _are_numbered(applies)
    if scope.numbered:
        applies.sort(key=attrgetter("order"))
    _applies(scope, applies)
    return [_variable(scope.ranges, r) for r in roots]


def _are_numbered(applies: Sequence[PrintedNode]) -> bool:
    """Whether each node has a distinct order number above those of the nodes that make its inputs."""
    orders = {n.order for n in applies}
    if None in orders or len(orders) < len(applies):
        return False
    for n in applies:
        order = n.order
        for below, _ in n.children or ():
            if below.is_apply and not below.order < order:  # type: ignore[operator]
                return False
    return True


def _variable(ranges: Mapping[int, range], ref: Ref) -> int:
    """The Variable that `ref` refers to."""
    row = ranges[id(ref.node)]
    return row[ref.output] if ref.output < len(row) else row[0]


def _leaf(scope: PrintScope, node: PrintedNode) -> None:
    if id(node) in scope.ranges:
        return
    number = len(scope.variables)
    scope.ranges[id(node)] = range(number, number + 1)
    scope.leaves[number] = node
    seen = node.seen.get(0)
    of_name = type_of_name(node.head)
    text = (seen.type if seen else "") or of_name or ""
    kind = read_type(text) if text else NOT_PRINTED
    literal = None if node.lost or of_name else read_constant(node.head)
    if literal is not None:
        if not text and literal.kind is not TypeKind.OTHER:
            kind = Type(literal.kind, None, tuple(d if isinstance(d, int) else None for d in literal.shape), "")
        shape = _constant_shape(kind, literal)
        name = node.head if "slice" in text.lower() else None  # the parts of a slice are read from the name
        if node.id and not name and not is_exact(shape):
            name = f"id {node.id}"  # by which its shape can be given
        scope.variables.append(Constant(number, kind, name, shape=shape, value=literal.value))
    else:
        unnamed = f"id {node.id}" if node.id and of_name and not node.lost else None  # by which its shape can be given
        name = unnamed if node.lost or of_name else node.head
        scope.variables.append(Variable(number, kind, name))
        scope.free.append(number)
    if not text:
        scope.untyped.add(number)
    if seen and seen.shape:
        _note_static(scope, number, seen.shape)
    if node.lost:
        scope.lost.add(number)


def _note_static(scope: PrintScope, number: int, text: str) -> None:
    """Records the shape that `print_shape` shows for a Variable."""
    shape = static_of(text)
    if shape is not None:
        scope.static[number] = shape


def _constant_shape(kind: Type, literal: Literal) -> Shape:
    """The shape of a constant: from its value where that is complete, else from the type."""
    if is_exact(literal.shape) and (kind.text == "" or len(literal.shape) == kind.ndim):
        return literal.shape
    if kind.text and kind.kind is not TypeKind.OTHER:
        return tuple(Unknown("the constant's value is abbreviated in the text") if d is None else d for d in kind.shape)
    return literal.shape


def _applies(scope: PrintScope, nodes: Sequence[PrintedNode]) -> None:
    """Adds Apply nodes, in topological order, to `scope`."""
    ranges, variables, untyped = scope.ranges, scope.variables, scope.untyped
    least = {base: op_info(parse_op(base).name).n_outputs for base in {node.base for node in nodes}}
    for owner, node in enumerate(nodes):
        first = len(variables)
        outputs = range(first, first + max(node.n_outputs, least[node.base]))
        ranges[id(node)] = outputs
        for number in outputs:
            kind, name, _, shape = node.seen.get(number - first, NOTHING_SEEN)
            if not kind:
                untyped.add(number)
            if shape:
                _note_static(scope, number, shape)
            variables.append(Variable(number, read_type(kind) if kind else NOT_PRINTED, name or None, owner))
        scope.outputs.append(list(outputs))
    scope.applies.extend(nodes)
    scope.inputs.extend([[row[k] if k < len(row := ranges[id(below)]) else row[0] for below, k in node.children or ()] for node in nodes])


def inner_texts(nodes: Iterable[PrintedNode]) -> list[InnerText]:
    """Returns the texts of the inner graphs of these nodes."""
    return [n.inner for n in nodes if n.inner is not None]
