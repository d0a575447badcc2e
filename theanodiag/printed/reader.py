"""Reads the printed graphs of a text: `read_debugprint`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ..errors import Span, UnreadableError
from ..gc_pause import no_collections
from ..ir import FunctionGraph
from ..ir.graph import FED_BY, NUMBER
from ..ops import op_info
from .assemble import finish, finish_inside, linkers_of
from .failed import Facts, find, read_facts, shapes_of, typed
from .lexer import read_lines
from .model import DebugPrint, Print, Types
from .nodes import ID, InnerText, PrintedNode, Section, end_of_fields, read_type
from .scope import PrintScope, PrintStyle, fill, inner_texts
from .tree import TreeBuilder

_HELP = "paste what debugprint printed: lines such as `Elemwise{add,no_inplace} [id A] ''` and, below it, ` |x [id B]`"


def read_debugprint(text: str, source: str = "<text>") -> DebugPrint:
    """Read all printed graphs in a text, whatever else it contains.

    Args:
        text: The output of `debugprint`. If a line is damaged, only its sub-tree is lost, and the result's field `damage` lists it.
        source: Name of the text in messages.

    Returns:
        The graphs; the field `graph` is the first one.

    Raises:
        UnreadableError: The text contains no graph.

    >>> read_debugprint("add [id A]\\n ├─ x [id B]\\n └─ x [id B]").graph.applies[0].inputs
    (0, 0)
    """
    with no_collections():
        return _read(laid_out(text, source), source)


def _read(text: str, source: str) -> DebugPrint:
    builder = TreeBuilder(source, text)
    builder.read(read_lines(text))
    style = _style(builder, text)
    facts = read_facts(text)
    prints = tuple(_with_facts(Assembler(s, style).build(), facts) for s in builder.printed())
    if not prints:
        first = text.find("\n")
        span = Span(source, text, 0, len(text) if first < 0 else first)
        raise UnreadableError("no printed graph in this text", span=span, help=_HELP)
    return DebugPrint(prints, _dialect(text, style), tuple(builder.damage), facts.by_name, facts.shared, text)


def _style(builder: TreeBuilder, text: str) -> PrintStyle:
    return PrintStyle(builder.quotes, "├─" in text or "└─" in text, builder.maps, builder.grouped)


def read_again(debugprint: DebugPrint, types: Types) -> DebugPrint:
    """Reads the text of `debugprint` again, with assumed types for untyped Variables of its main graph, which may change how Ops are
    interpreted.
    """
    with no_collections():
        builder = TreeBuilder("", debugprint.text)
        builder.read(read_lines(debugprint.text))
        sections = builder.printed()
        at = next(k for k, p in enumerate(debugprint.prints) if p is debugprint.main)
        style = replace(_style(builder, debugprint.text), arrays=True)
        main = _with_facts(Assembler(sections[at], style, types).build(), read_facts(debugprint.text))
    return replace(debugprint, prints=(*debugprint.prints[:at], main, *debugprint.prints[at + 1 :]))


def _with_facts(printed: Print, facts: Facts) -> Print:
    """`printed` with the types and shapes that other parts of the text give."""
    node = find(printed.graph, facts.failed) if facts.failed is not None else None
    if node is not None and facts.failed is not None and printed.untyped:
        graph, untyped = typed(printed.graph, printed.untyped, node, facts.failed)
        variants = tuple(typed(v, printed.untyped, v.applies[node.id], facts.failed)[0] for v in printed.variants)
        printed = replace(printed, graph=graph, untyped=untyped, variants=variants)
    shapes = shapes_of(printed.graph, facts)
    return replace(printed, shapes=shapes) if shapes else printed


def _dialect(text: str, style: PrintStyle) -> str:
    """The framework whose print format the text has; a guess if two have it."""
    if "├─" in text or "└─" in text or "ytensor" in text[:100_000].lower():
        return "pytensor"
    if "ScalarConstant{" in text or "aesara" in text[:100_000].lower() or (not style.quotes and "[@" not in text):
        return "aesara"
    return "theano"


MAX_DEPTH = 32
"""Deepest nesting of inner graphs that is followed."""


class Assembler:
    """Builds the graphs of one printed section of a text. Nodes shared by inner graphs are copied, up to a limit proportional to the text's
    length.
    """

    def __init__(self, section: Section, style: PrintStyle, types: Types | None = None) -> None:
        self._section = section
        self._style = style
        self._types = types
        """Assumed types for Variables that are printed without one."""
        self._met = 0
        """Number of graphs met so far, which numbers them from 0."""
        self._graphs: dict[int, FunctionGraph] = {}
        self._seen: dict[int, PrintedNode] = {}
        self._left = 4 * (len(section.by_id) + sum(map(len, section.by_text.values())) + len(section.leaves)) + 1000

    def build(self) -> Print:
        """Builds the graph of the section and everything known about it."""
        scope = PrintScope()
        results = fill(scope, self._section.outputs, self._section.inputs, self._style)
        self._give(scope)
        self._inner(scope, 0)
        listed = _listed(scope, self._section.inputs)
        graph, order, unsure, variants = finish(scope, results, listed, self._style, self._graphs)
        self._count(scope)
        cut = frozenset(new for new, old in enumerate(order) if _is_cut(scope.applies[old], graph.applies[new].op.name))
        n_ids = len(self._seen)
        linkers = linkers_of(graph, self._style)
        untyped, lost, inside = frozenset(scope.untyped), frozenset(scope.lost), self._section.inside
        return Print(graph, untyped, cut, lost, unsure, scope.static, {}, variants, linkers, n_ids, inside)

    def _count(self, scope: PrintScope) -> None:
        self._seen.update(zip(map(id, scope.applies), scope.applies))
        self._left -= len(scope.variables)

    def _give(self, scope: PrintScope) -> int:
        """Gives assumed types to the Variables of the next graph; returns the graph's number."""
        number = self._met
        self._met += 1
        for v, kind in (self._types or {}).get(number, {}).items():
            if v in scope.untyped:
                scope.untyped.discard(v)
                leaf = scope.leaves.get(v)
                slices = leaf is not None and leaf.head.startswith(("SliceConstant{", "Constant{slice(", "slice("))
                name = leaf.head if leaf is not None and slices else scope.variables[v].name  # the parts of a slice are read from the name
                scope.variables[v] = replace(scope.variables[v], type=read_type("slice") if slices else kind, name=name)
        return number

    def _inner(self, outer: PrintScope, depth: int) -> None:
        """Builds the inner graphs of the nodes of `outer`, and those inside them."""
        for text in inner_texts(outer.applies):
            if id(text) in self._graphs or depth >= MAX_DEPTH or self._left <= 0:
                continue
            scope = PrintScope()
            results = fill(scope, text.outputs, text.inputs, self._style)
            self._count(scope)
            self._graphs[id(text)] = FunctionGraph("", (), (), (), ())  # a placeholder, in case the graph contains itself
            number = self._give(scope)
            self._inner(scope, depth + 1)
            listed = _listed(scope, text.inputs)
            graph = _with_info(finish_inside(scope, results, listed, self._style, self._graphs), scope, text)
            self._graphs[id(text)] = graph if self._types is None else replace(graph, info=_linked_info(graph, outer, text, number))


def _listed(scope: PrintScope, nodes: list[PrintedNode]) -> list[int]:
    """The Variables of listed inputs, without those that turned out to be computed."""
    return [number for number in (scope.ranges[id(n)][0] for n in nodes) if number in scope.leaves]


def _with_info(graph: FunctionGraph, scope: PrintScope, text: InnerText) -> FunctionGraph:
    """`graph` with the text's facts about its inputs in `info`: the outer id of each, and the output of `print_op_info`."""
    nodes = [scope.leaves[i.variable] for i in graph.inputs]
    rows = sorted(zip(graph.inputs, nodes), key=lambda row: _position(row[1]))
    outer = [text.links.get(id(n), n.outer) for _, n in rows]
    info = [n.seen[0].info if 0 in n.seen else "" for _, n in rows]
    facts: dict[str, object] = {"outer_ids": outer, "labels": info}
    return FunctionGraph(graph.name, tuple(i for i, _ in rows), graph.outputs, graph.variables, graph.applies, info=facts)


def _linked_info(inner: FunctionGraph, outer: PrintScope, text: InnerText, number: int) -> dict[str, object]:
    """The `info` of an inner graph with its number and, for each input, the outer inputs with the id that it is linked to."""
    head = next(n for n in outer.applies if n.inner is text)
    ids = [ref.node.id for ref in head.children or ()]
    links = inner.info["outer_ids"]
    rows = [[p for p, ident in enumerate(ids) if p and ident == link] for link in links] if isinstance(links, list) else []
    return {**inner.info, NUMBER: number, FED_BY: rows}


def _position(node: PrintedNode) -> int:
    """The number in the name of an inner input, `*2-<...>` or `i2`; a large number for others, which keep their order."""
    digits = node.head[1:].partition("-")[0]
    return int(digits) if node.head[:1] in ("*", "i") and digits.isascii() and digits.isdigit() and len(digits) < 7 else 1 << 30


def _is_cut(node: PrintedNode, name: str) -> bool:
    return node.children is None and not op_info(name).may_lack_inputs


_TWO = re.compile(r"\[(?:id |@)[^\[\]\n]+\][^\[|│├└\n]*[|│├└←]")
"""Matches a branch mark after a label: no line of an unmodified text has one."""
_MARKS = re.compile(r"\s*(?=[|│├└←→>])[ |│├└─←→>]+")
_TITLE = re.compile(r"(?P<marks>)\s*(?P<label>(?:Inner graphs?(?: of the scan ops)?|Default updates):)\s*")
_DOTS = re.compile(r"(?P<marks>[ |│├└─]+)(?P<label>···|…|\.{3})(?=\s|$|Inner|Default)")
_START = re.compile(r"\s*[\w<*\-\[(]")
_ORDER = re.compile(r"' {3}\d")
"""Matches the end of a node's name, three spaces and its number, as Theano prints them."""
_HELP_FLATTENED = "paste it with its line breaks and spaces: only these show the structure of the graph"
_MOST_CHARACTERS = 50_000_000
"""Limit for the restored lines of one graph: those of a chain grow with the square of its length."""


class _PrintedLine(NamedTuple):
    """One printed line."""

    marks: str
    """Spaces and branch marks in front of the label, with the space in place of the line break."""
    label: str


def laid_out(text: str, source: str) -> str:
    """Restores lost line breaks of printed graphs in `text`. Returns the same object if none are lost.

    Raises UnreadableError if the spaces are lost too, the branches do not show the nesting, and the text has no other graph.
    """
    if not _TWO.search(text):
        return text
    rows = []
    start = 0
    for row in text.split("\n"):
        parts = list(_parts(row)) if _TWO.search(row) else []
        if any(part.marks for part in parts):
            lines = _lines(parts, row)
            if not lines and not any(ID.search(other) for other in (text[:start], text[start + len(row) :])):
                span = Span(source, text, start, start + len(row))
                raise UnreadableError("this graph is on one line, and its spaces are gone", span=span, help=_HELP_FLATTENED)
            rows += lines or [row]
        else:
            rows.append(row)
        start += len(row) + 1
    return "\n".join(rows)


def _parts(row: str) -> Iterator[_PrintedLine]:
    """Yields the printed lines that were joined in `row`; none if it is a single line."""
    parts: list[_PrintedLine] = []
    begin, marks = 0, ""
    for start, end in [(m.start(), m.end()) for m in ID.finditer(row)]:
        if start < begin:
            continue  # an id behind an arrow belongs to the label before
        if parts:
            while rest := _DOTS.match(row, begin) or _TITLE.match(row, begin):
                parts.append(_PrintedLine(rest["marks"], rest["label"]))
                begin = rest.end()
            branch = _MARKS.match(row, begin, start)
            marks = branch[0] if branch else ""
            begin = branch.end() if branch else begin
            if (marks.rstrip()[-1:] in ("|", "│") and marks[-1] == " ") or not _START.match(row, begin, start):
                return  # a table, or a sentence about nodes
        behind = end_of_fields(row, end)
        parts.append(_PrintedLine(marks, row[begin:behind].strip() if parts else row[:behind]))
        begin = behind
    yield from parts
    if rest := _DOTS.match(row, begin):
        yield _PrintedLine(rest["marks"], rest["label"])
        begin = rest.end()
    if row[begin:].strip():
        yield _PrintedLine("", row[begin:].strip())


def _lines(parts: list[_PrintedLine], row: str) -> list[str]:
    """The restored lines of a graph; empty if their columns cannot be determined."""
    if any("  " in p.marks for p in parts) or _ORDER.search(row):
        lead = min(len(p.marks) - len(p.marks.lstrip()) for p in parts if p.marks) - 1
        return [p.marks[max(0, lead) :] + p.label for p in parts]
    if any(p.marks.strip()[:1] == "|" for p in parts):
        return []
    lines, left = [], _MOST_CHARACTERS
    for line in _by_branches(parts):
        lines.append(line)
        left -= len(line)
        if left < 0:
            return []
    return lines


def _by_branches(parts: list[_PrintedLine]) -> Iterator[str]:
    """Yields lines with new columns, from PyTensor's branches and the number of bars in front of them."""
    path: list[tuple[int, bool]] = []
    first = 1
    for marks, label in parts:
        branch = marks.strip()[-2:]
        if branch not in ("├─", "└─"):
            path, first = [(0, True)], 4 if "←" in marks else 1
            yield (f" {marks.strip()} " if marks else "") + label
            continue
        bars = marks.count("│")
        while len(path) > 1 and not (path[-1][0] == bars and path[-1][1]):
            path.pop()
        above, _ = path[-1] if path else (0, True)
        if path:
            path[-1] = above, branch == "├─"
        yield " " * (first + 3 * (max(1, len(path)) - 1)) + f"{branch} {label}"
        path.append((above + (branch == "├─"), True))
