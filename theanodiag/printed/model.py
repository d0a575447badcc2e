"""What the reader of printed graphs hands over, and the small frozen types between its steps."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import Span, UnreadableError
from ..findings import Skipped
from ..ir import FunctionGraph, Shape, Type
from ..ir.shape import Static

Types = Mapping[int, Mapping[int, Type]]
"""Types of Variables, by the number of their graph in the text (0: the outer one) and by id."""


class LineRole(enum.IntEnum):
    """What a line of a printed graph is."""

    ROOT = 0
    """A line without branch marks: an output, or the head of an inner graph."""
    CHILD = 1
    """A line that hangs on another one."""
    INNER = 2
    """An output of the inner graph of the head above."""
    INPUT = 3
    """An input that is listed on its own (`→ x [id A]`)."""
    DOTS = 4
    """`···`: what stands above was printed before."""
    SECTION = 5
    """`Inner graphs:` and the like."""
    DAMAGED = 6
    """A line of a tree that cannot be read."""


class Label(NamedTuple):
    """The parts of one label. An empty string stands for what is not printed."""

    text: str
    """All in front of the id: the Op with `.N`, or a leaf."""
    id: str
    type: str = ""
    shape: str = ""
    """Of `print_shape`, with its parentheses."""
    name: str | None = None
    """Between quotes; None where no quotes are printed."""
    destroy: str = ""
    view: str = ""
    order: str = ""
    outer: str = ""
    """Id behind ` -> `: the outer Variable that an inner input stands for."""
    info: str = ""
    """What `print_op_info` adds, such as `inner_in_seqs-0`."""


class Line(NamedTuple):
    """One logical line: continuation lines joined, marks and prompts taken off."""

    kind: LineRole
    column: int
    """Column of the label, 0-based, after clean-up."""
    mark: int
    """Column of the branch mark in front of the label; -1 where there is none."""
    label: str
    number: int
    """1-based line number in the text."""
    start: int
    """Offset of the line in the text."""
    end: int
    single: bool = False
    """Whether there is just one mark in front of the label."""
    parsed: Label | None = None
    """The parts of the label, where they are known: the same object for equal labels."""


@dataclass(frozen=True)
class Damage:
    """A place that could not be read, and what it cost."""

    source: str
    text: str = field(repr=False)
    start: int
    end: int
    line: int
    """1-based."""
    column: int
    """1-based."""
    message: str

    def error(self) -> UnreadableError:
        """The place as an error with a caret."""
        span = Span(self.source, self.text, self.start, self.end)
        return UnreadableError(self.message, span=span, help="the sub-tree below this line was left out; paste the line as it was printed")

    def skipped(self) -> Skipped:
        """The place as an entry of a report."""
        return Skipped(f"{self.source}:{self.line}:{self.column}", self.message)


@dataclass(frozen=True)
class Print:
    """One printed graph of a text."""

    graph: FunctionGraph
    untyped: frozenset[int]
    """Ids of the Variables whose type is not printed: their `type.text` is empty and their `type.shape` says nothing."""
    cut: frozenset[int]
    """Ids of the Apply nodes whose inputs are not printed (depth limit, a named node, an omission)."""
    lost: frozenset[int]
    """Ids of the Variables that stand for damaged sub-trees."""
    unsure: frozenset[int]
    """Ids of the Apply nodes that may overwrite an input without the text saying so (PyTensor prints it only with its maps)."""
    static: Mapping[int, Static]
    """Static shapes by Variable id that `print_shape` shows."""
    shapes: Mapping[int, Shape]
    """Shapes by Variable id that other parts of the text give (the error message, the list of storages)."""
    variants: tuple[FunctionGraph, ...]
    """Other readings of the same text, where `unsure` is not empty: the same graph with the least and the most nodes in place."""
    linkers: tuple[str, ...]
    """Machines that may run the function, the likeliest first: they differ in the order of the nodes."""
    n_ids: int
    """Number of distinct Apply nodes of the text, those of inner graphs included."""
    inside: str = ""
    """Text of the Op whose inner graph this is, where the text has that alone."""


@dataclass(frozen=True)
class DebugPrint:
    """All that was found in a text."""

    prints: tuple[Print, ...]
    """The printed graphs in the order of the text; at least one."""
    dialect: str
    """`theano`, `aesara` or `pytensor`: whose form the text has; names of ops are read for all of them."""
    damage: tuple[Damage, ...]
    shapes: Mapping[str, Shape]
    """Shapes that the text gives by name (list of storages of an error message)."""
    shared: frozenset[str]
    """Names of which the text says that they are shared variables."""
    text: str = field(default="", repr=False, compare=False)
    """The text itself, to be read again with types that it does not print."""

    @property
    def main(self) -> Print:
        """The largest printed graph: what a paste is about. Of equals the most complete one, of those the one with the most types; then the
        first."""
        return max(self.prints, key=_worth)

    @property
    def graph(self) -> FunctionGraph:
        """The graph of `main`."""
        return self.main.graph

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The damaged places, as a report lists them."""
        return tuple(d.skipped() for d in self.damage)


def _worth(found: Print) -> tuple[int, int, int, int]:
    """How much a printed graph says: its nodes, those that are whole, their inputs, the types of these."""
    n_inputs = sum(len(node.inputs) for node in found.graph.applies)
    return found.n_ids, -len(found.cut) - len(found.lost), n_inputs, -len(found.untyped)
