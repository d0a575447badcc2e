"""Nodes of a printed graph before it becomes a FunctionGraph: mutable and linked by reference, so that lines may come in any order."""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from .label import split_output
from .model import Label, Line


class Seen(NamedTuple):
    """What the text says about one output of an Apply, or about a leaf; empty strings for what it does not say."""

    type: str = ""
    name: str = ""
    """Printed name."""
    info: str = ""
    """Output of `print_op_info`."""
    shape: str = ""
    """Output of `print_shape`, with its parentheses."""


NOTHING_SEEN = Seen()
"""The Seen of an output about which the text says nothing."""


@lru_cache(maxsize=4096)
def _seen(kind: str, name: str, info: str, shape: str) -> Seen:
    """A Seen; the same object for equal arguments, as nearly all nodes of a large graph have."""
    return Seen(intern(kind), name, info, shape)


class PrintedNode:
    """An Apply or a leaf as the text shows it."""

    __slots__ = ("base", "children", "head", "id", "inner", "is_apply", "line", "lost", "maps", "n_outputs", "order", "outer", "seen")

    def __init__(self, label: Label, line: int) -> None:
        self.id = label.id
        self.head = intern(label.text)
        """Text of the first line that shows the node."""
        self.base = self.head
        """That text without the output number, once the node is known to be an Apply."""
        self.is_apply = False
        self.children: list[Ref] | None = None
        """The inputs; None while they are not printed."""
        self.seen: dict[int, Seen] = {}
        """What the text says about each output, by number."""
        self.n_outputs = 1
        self.order = int(label.order) if label.order and len(label.order) < 12 else None
        self.maps: tuple[str, str] | None = None
        """Texts of destroy_map and view_map, where they are printed."""
        self.outer = label.outer
        self.inner: InnerText | None = None
        self.lost = False
        """Whether it stands for what could not be read."""
        self.line = line

    def note(self, label: Label, output: int | None) -> None:
        """Records what a line says about output number `output` (None: not known which)."""
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
        """Marks the node as an Apply."""
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
    """The inner graph printed below a head."""

    __slots__ = ("inputs", "links", "outputs")

    def __init__(self) -> None:
        self.inputs: list[PrintedNode] = []
        self.links: dict[int, str] = {}
        """The outer id behind ` -> `, by `id()` of the node: a node may be in several inner graphs, with a different outer id in each."""
        self.outputs: list[Ref] = []


class OpenNode:
    """A line whose sub-tree is being read."""

    __slots__ = ("children", "column", "dots", "inner", "label", "line", "lost", "role")

    def __init__(self, label: Label, column: int, line: Line, role: str = "") -> None:
        self.label = label
        self.column = column
        self.line = line
        self.role = role
        """`root`, `inner` (an output of an inner graph), or empty."""
        self.children: list[Ref] = []
        self.dots = False
        self.inner: InnerText | None = None
        self.lost = False


class Section:
    """One printed graph: its outputs, and its nodes by id and text."""

    __slots__ = ("by_id", "by_order", "by_text", "heads", "inputs", "inside", "known", "leaves", "local", "outputs")

    def __init__(self) -> None:
        self.outputs: list[Ref] = []
        self.heads: list[tuple[PrintedNode, InnerText]] = []
        """Ops whose inner graphs are printed, in order, with these graphs."""
        self.inside = ""
        """Text of the Op whose inner graph this is, where the text has only that."""
        self.inputs: list[PrintedNode] = []
        """Inputs that are listed on their own."""
        self.by_id: dict[str, PrintedNode] = {}
        self.by_order: dict[tuple[str, int], PrintedNode] = {}
        self.by_text: dict[str, deque[PrintedNode]] = {}
        """Nodes by text, in the order in which they were completed, for lines without ids."""
        self.local: dict[tuple[str, str], list[PrintedNode]] = {}
        """The same by text and type (or type "" for text alone), in the graph, outer or inner, that is being read."""
        self.leaves: dict[tuple[str, str], PrintedNode] = {}
        self.known: dict[int, tuple[Label, Ref]] = {}
        """What lines without children refer to, by `id()` of their label, which is kept alive in the value."""

    def inner(self, head: PrintedNode, text: InnerText) -> Section:
        """The inner graph of `head` as a printed graph of its own."""
        made = Section()
        made.outputs, made.inputs, made.inside = text.outputs, text.inputs, head.base
        made.by_id, made.by_text, made.leaves = self.by_id, self.by_text, self.leaves
        return made

    def outermost(self) -> list[Section]:
        """The inner graphs that are not part of another one."""
        found = {id(text): (head, text) for head, text in reversed(self.heads)}
        nested = {id(node.inner) for _, text in found.values() for node in below(text.outputs) if node.inner is not text}
        return [self.inner(head, text) for key, (head, text) in reversed(found.items()) if key not in nested]


def below(roots: list[Ref]) -> set[PrintedNode]:
    """The nodes that `roots` refer to, and all nodes from which they are computed."""
    found: set[PrintedNode] = set()
    todo = [ref.node for ref in roots]
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += [ref.node for ref in node.children or ()]
    return found
