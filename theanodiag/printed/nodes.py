"""Nodes of a printed graph before it becomes a FunctionGraph: mutable, by reference, so that any order of lines will do."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from .label import split_output
from .model import Label, Line


class Seen(NamedTuple):
    """What the text says about one output of an Apply, or about a leaf."""

    type: str = ""
    name: str = ""
    info: str = ""
    shape: str = ""
    """Of `print_shape`, with its parentheses."""


NOTHING_SEEN = Seen()


@lru_cache(maxsize=4096)
def _seen(kind: str, name: str, info: str, shape: str) -> Seen:
    """The same object for what looks alike, as nearly all nodes of a large graph do."""
    return Seen(intern(kind), name, info, shape)


class PrintedNode:
    """An Apply or a leaf as the text shows it."""

    __slots__ = ("base", "children", "head", "id", "inner", "is_apply", "line", "lost", "maps", "n_outputs", "order", "outer", "seen")

    def __init__(self, label: Label, line: int) -> None:
        self.id = label.id
        self.head = intern(label.text)
        """Text of the first line that shows it."""
        self.base = self.head
        """Without the number of the output, once it is known to be an Apply."""
        self.is_apply = False
        self.children: list[Ref] | None = None
        """The inputs; None while they are not printed."""
        self.seen: dict[int, Seen] = {}
        self.n_outputs = 1
        self.order = int(label.order) if label.order and len(label.order) < 12 else None
        self.maps: tuple[str, str] | None = None
        """Texts of destroy_map and view_map, where they are printed."""
        self.outer = label.outer
        self.inner: InnerText | None = None
        self.lost = False
        """It stands for what could not be read."""
        self.line = line

    def note(self, label: Label, output: int | None) -> None:
        """Takes over what a line says about one output."""
        if output is not None:
            self.n_outputs = max(self.n_outputs, output + 1, 2)
        if label.destroy or label.view:
            self.maps = self.maps or (label.destroy, label.view)
        kind, shape = label.type, label.shape
        if kind or label.name or label.info or shape:
            old = self.seen.get(output or 0)
            if old is None:
                self.seen[output or 0] = _seen(kind, label.name or "", label.info, shape)
            elif (kind and not old.type) or (label.name and not old.name) or (label.info and not old.info) or (shape and not old.shape):
                name = old.name or label.name or ""
                self.seen[output or 0] = Seen(old.type or intern(kind), name, old.info or label.info, old.shape or shape)

    def become_apply(self) -> None:
        """From now on the node is known to be an Apply."""
        if not self.is_apply:
            self.is_apply = True
            base, output = split_output(self.head)
            self.base = intern(base)
            if output is not None:
                self.n_outputs = max(self.n_outputs, output + 1, 2)
                if output and 0 in self.seen and output not in self.seen:
                    self.seen[output] = self.seen.pop(0)


class Ref(NamedTuple):
    """One output of a node."""

    node: PrintedNode
    output: int


class InnerText:
    """The inner graph below a head."""

    __slots__ = ("inputs", "links", "outputs")

    def __init__(self) -> None:
        self.inputs: list[PrintedNode] = []
        self.links: dict[int, str] = {}
        """By identity of a node: the outer id behind ` -> `. A node may stand in several inner graphs, and for something else in each."""
        self.outputs: list[Ref] = []


class OpenNode:
    """A line whose sub-tree is being read."""

    __slots__ = ("children", "column", "dots", "inner", "label", "line", "lost", "role")

    def __init__(self, label: Label, column: int, line: Line, role: str = "") -> None:
        self.label = label
        self.column = column
        self.line = line
        self.role = role
        """`root`, `inner` (an output of an inner graph) or nothing."""
        self.children: list[Ref] = []
        self.dots = False
        self.inner: InnerText | None = None
        self.lost = False


class Section:
    """One printed graph: its outputs, and its nodes by what the text calls them."""

    __slots__ = ("by_id", "by_order", "by_text", "heads", "inputs", "inside", "known", "leaves", "local", "outputs")

    def __init__(self) -> None:
        self.outputs: list[Ref] = []
        self.heads: list[tuple[PrintedNode, InnerText]] = []
        """Ops of which inner graphs are printed, as they are met."""
        self.inside = ""
        """The Op whose inner graph it is, where the text has that alone."""
        self.inputs: list[PrintedNode] = []
        """Inputs that are listed on their own."""
        self.by_id: dict[str, PrintedNode] = {}
        self.by_order: dict[tuple[str, int], PrintedNode] = {}
        self.by_text: dict[str, deque[PrintedNode]] = {}
        """Nodes that may be meant by their text, in the order in which they were closed."""
        self.local: dict[tuple[str, str], list[PrintedNode]] = {}
        """The same by text and type (and by text alone: type ""), in the graph, outer or inner, which is being read."""
        self.leaves: dict[tuple[str, str], PrintedNode] = {}
        self.known: dict[int, tuple[Label, Ref]] = {}
        """What lines without anything below them mean that were met before, by the identity of their label, which lives as long."""

    def inner(self, head: PrintedNode, text: InnerText) -> Section:
        """The inner graph of `head` as a printed graph of its own."""
        made = Section()
        made.outputs, made.inputs, made.inside = text.outputs, text.inputs, head.base
        made.by_id, made.by_text, made.leaves = self.by_id, self.by_text, self.leaves
        return made

    def outermost(self) -> list[Section]:
        """The inner graphs that stand in no other one."""
        found = {id(text): (head, text) for head, text in reversed(self.heads)}
        nested = {id(node.inner) for _, text in found.values() for node in below(text.outputs) if node.inner is not text}
        return [self.inner(head, text) for key, (head, text) in reversed(found.items()) if key not in nested]


def below(roots: list[Ref]) -> set[PrintedNode]:
    """The nodes that `roots` mean, and all below them."""
    found: set[PrintedNode] = set()
    todo = [ref.node for ref in roots]
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += [ref.node for ref in node.children or ()]
    return found
