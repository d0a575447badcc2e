"""Parses the branch marks in front of a label: on which mark it hangs, and what kind of line it is."""

from __future__ import annotations

from typing import NamedTuple

from .model import LineRole

MARKS = " |│┃├└┣┗┝┕─━←→>"
"""Characters that may stand in front of a label."""
_BRANCHES = "├└┣┗┝┕"
_USUAL = ("├─ ", "└─ ")


class Marks(NamedTuple):
    """What the marks in front of a label mean."""

    at: int
    """Column of the mark that the label hangs on; -1 where there is none."""
    kind: LineRole
    """The role of the line."""
    single: bool = False
    """Whether there is exactly one mark."""


def marks_of(prefix: str) -> Marks:
    """Reads the tree marks in front of a printed node, such as ` | |`: the column it hangs on, its role, whether it is alone there.

    `prefix` has only characters of `MARKS`.
    """
    if prefix[-3:] in _USUAL and ">" not in prefix:
        return Marks(len(prefix) - 3, LineRole.CHILD, " " not in prefix[:-3].lstrip())
    marks = prefix.rstrip()
    if not marks or ">>" in marks:  # `>>` marks no inner graph: it is a prompt, or printed by a profile of rewrites
        return Marks(-1, LineRole.ROOT)
    last = marks[-1]
    at = len(marks) - 1
    if last in "─━":
        at = len(marks.rstrip("─━")) - 1
        at = at if at >= 0 and marks[at] in _BRANCHES else max(map(marks.rfind, _BRANCHES))
    kind = LineRole.INNER if last in ">←" else LineRole.INPUT if last == "→" else LineRole.CHILD
    return Marks(at, kind, " " not in marks.lstrip())
