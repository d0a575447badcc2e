"""The results of reading printed graphs, and the small frozen types between its steps."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..findings import Skipped
from ..ir import FunctionGraph, Shape, Type
from ..ir.shape import Static

Types = Mapping[int, Mapping[int, Type]]
"""Types of Variables, by the number of their graph in the text (0: the outer one), then by Variable id."""


class LineRole(enum.IntEnum):
    """The role of a line in a printed graph."""

    ROOT = 0
    """A line without branch marks: an output, or the head of an inner graph."""
    CHILD = 1
    """A line below another one, as its input."""
    INNER = 2
    """An output of the inner graph whose head is above."""
    INPUT = 3
    """An input listed on its own (`→ x [id A]`)."""
    DOTS = 4
    """The inputs of the node above were printed before; the line is `···`."""
    SECTION = 5
    """A heading such as `Inner graphs:`."""
    DAMAGED = 6
    """A line of a tree that cannot be read."""


class Label(NamedTuple):
    """The parts of one label; an empty string for a part that is not printed."""

    text: str
    """The text in front of the id: an Op, with `.N` for an output, or a leaf."""
    id: str
    """Id of the node, as `A` in `[id A]`."""
    type: str = ""
    """The printed type of the Variable."""
    shape: str = ""
    """Output of `print_shape`, with its parentheses."""
    name: str | None = None
    """Name between quotes; None where no quotes are printed."""
    destroy: str = ""
    """The node's printed destroy_map."""
    view: str = ""
    """The node's printed view_map."""
    order: str = ""
    """The node's printed topological position."""
    outer: str = ""
    """Id behind ` -> `: the outer Variable whose value an inner input has."""
    info: str = ""
    """Output of `print_op_info`, such as `inner_in_seqs-0`."""


class Line(NamedTuple):
    """One logical line: continuation lines joined, marks and prompts removed."""

    kind: LineRole
    """Role of the line."""
    column: int
    """Column of the label after clean-up (0-based)."""
    mark: int
    """Column of the branch mark in front of the label; -1 where there is none."""
    label: str
    """The label, without marks."""
    number: int
    """1-based line number in the text."""
    start: int
    """Offset of the line in the text."""
    end: int
    """Offset of the end of the line in the text."""
    single: bool = False
    """Whether there is exactly one mark in front of the label."""
    parsed: Label | None = None
    """The parsed label, where it is known: the same object for equal labels."""


@dataclass(frozen=True)
class Damage:
    """A place in the text that could not be read."""

    source: str
    """Name of the text, as in error messages."""
    line: int
    """Line number of the damage, 1-based."""
    column: int
    """Column number of the damage, 1-based."""
    message: str
    """Description of the problem."""

    def skipped(self) -> Skipped:
        """Returns the damage as an entry of a report's list of skipped parts."""
        return Skipped(f"{self.source}:{self.line}:{self.column}", self.message)


@dataclass(frozen=True)
class Print:
    """One printed graph of a text."""

    graph: FunctionGraph
    """The graph that was read."""
    untyped: frozenset[int]
    """Ids of the Variables whose type is not printed: their `type.text` is empty, and their `type.shape` is meaningless."""
    cut: frozenset[int]
    """Ids of the Apply nodes whose inputs are not printed (depth limit, named node, omission)."""
    lost: frozenset[int]
    """Ids of the Variables that stand for damaged sub-trees."""
    unsure: frozenset[int]
    """Ids of the Apply nodes that may overwrite an input without the text saying so (PyTensor prints it only with its maps)."""
    static: Mapping[int, Static]
    """Static shapes that `print_shape` shows, by Variable id."""
    shapes: Mapping[int, Shape]
    """Shapes that other parts of the text give (error message, list of storages), by Variable id."""
    variants: tuple[FunctionGraph, ...]
    """The graph under other interpretations, where `unsure` is not empty: with the least and the most nodes in place."""
    linkers: tuple[str, ...]
    """Linkers that may run the function, likeliest first; they differ in the order of evaluation."""
    n_ids: int
    """Number of distinct Apply nodes of the text, those of inner graphs included."""
    inside: str = ""
    """Text of the Op whose inner graph this is, if the text contains only the inner graph."""


@dataclass(frozen=True)
class DebugPrint:
    """All printed graphs found in a text."""

    prints: tuple[Print, ...]
    """The printed graphs in the order of the text; at least one."""
    dialect: str
    """`theano`, `aesara` or `pytensor`, whose print format the text has; names of Ops are read for all of them."""
    damage: tuple[Damage, ...]
    """Places that could not be read."""
    shapes: Mapping[str, Shape]
    """Shapes that the text gives by name (list of storages of an error message)."""
    shared: frozenset[str]
    """Names that the text marks as shared variables."""
    text: str = field(default="", repr=False, compare=False)
    """The text itself, kept for reading it again with assumed types."""

    @property
    def main(self) -> Print:
        """The largest printed graph; among equally large ones the most complete, then the one with most types, then the first."""
        return max(self.prints, key=_worth)

    @property
    def graph(self) -> FunctionGraph:
        """The graph of `main`, the largest printed graph."""
        return self.main.graph

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """The damaged places as entries of a report's list of skipped parts."""
        return tuple(d.skipped() for d in self.damage)


def _worth(printed: Print) -> tuple[int, int, int, int]:
    """Sort key for how much a printed graph says: nodes, complete nodes, inputs, typed Variables."""
    n_inputs = sum(len(node.inputs) for node in printed.graph.applies)
    return printed.n_ids, -len(printed.cut) - len(printed.lost), n_inputs, -len(printed.untyped)
