"""A section of a text -> Print: the graph with its inner graphs, innermost first."""

from __future__ import annotations

from ...ir import FunctionGraph
from .assemble import finish, finish_inside
from .machine import linkers_of
from .model import Print
from .nodes import InnerText, Node, Section
from .scope import NO_INPUTS, Scope, Style, fill, inner_texts

MAX_DEPTH = 32
"""How deep inner graphs are followed: more nesting than any program has."""


class Assembler:
    """Builds the graphs of one section. Nodes that inner graphs share are copied, within a limit that keeps all linear in the text."""

    def __init__(self, section: Section, style: Style) -> None:
        self._section = section
        self._style = style
        self._graphs: dict[int, FunctionGraph] = {}
        self._seen: dict[int, Node] = {}
        self._left = 4 * (len(section.by_id) + sum(map(len, section.by_text.values())) + len(section.leaves)) + 1000

    def build(self) -> Print:
        """The printed graph."""
        scope = Scope()
        results = fill(scope, self._section.outputs, self._section.inputs, self._style)
        self._inner(inner_texts(scope.applies), 0)
        listed = _listed(scope, self._section.inputs)
        graph, order, unsure, variants = finish(scope, results, listed, self._style, self._graphs)
        self._count(scope)
        cut = frozenset(new for new, old in enumerate(order) if _is_cut(scope.applies[old], graph.applies[new].op.name))
        n_ids = len(self._seen)
        linkers = linkers_of(graph, self._style)
        return Print(graph, frozenset(scope.untyped), cut, frozenset(scope.lost), unsure, {}, variants, linkers, n_ids)

    def _count(self, scope: Scope) -> None:
        self._seen.update(zip(map(id, scope.applies), scope.applies))
        self._left -= len(scope.variables)

    def _inner(self, texts: list[InnerText], depth: int) -> None:
        """Builds the inner graphs `texts` and those inside them."""
        for text in texts:
            if id(text) in self._graphs or depth >= MAX_DEPTH or self._left <= 0:
                continue
            scope = Scope()
            results = fill(scope, text.outputs, text.inputs, self._style)
            self._count(scope)
            self._graphs[id(text)] = FunctionGraph("", (), (), (), ())  # in place of itself, should it contain itself
            self._inner(inner_texts(scope.applies), depth + 1)
            listed = _listed(scope, text.inputs)
            self._graphs[id(text)] = _with_info(finish_inside(scope, results, listed, self._style, self._graphs), scope, text)


def _listed(scope: Scope, nodes: list[Node]) -> list[int]:
    """The Variables of the inputs that a text lists; what turned out to be computed is none."""
    return [number for number in (scope.made[id(n)][0] for n in nodes) if number in scope.leaves]


def _with_info(graph: FunctionGraph, scope: Scope, text: InnerText) -> FunctionGraph:
    """`graph` with what the text says about its inputs: the outer id of each, and `print_op_info`."""
    nodes = [scope.leaves[i.variable] for i in graph.inputs]
    rows = sorted(zip(graph.inputs, nodes), key=lambda row: _position(row[1]))
    outer = [text.links.get(id(n), n.outer) for _, n in rows]
    info = [n.seen[0].info if 0 in n.seen else "" for _, n in rows]
    said: dict[str, object] = {"outer_ids": outer, "labels": info}
    return FunctionGraph(graph.name, tuple(i for i, _ in rows), graph.outputs, graph.variables, graph.applies, info=said)


def _position(node: Node) -> int:
    """The number of an inner input that is printed with one, `*2-<...>` or `i2`; the others keep their order."""
    digits = node.head[1:].partition("-")[0]
    return int(digits) if node.head[:1] in ("*", "i") and digits.isascii() and digits.isdigit() and len(digits) < 7 else 1 << 30


def _is_cut(node: Node, name: str) -> bool:
    return node.children is None and name not in NO_INPUTS
