"""Restores a printed graph that was put on one line, as by a chat, a table or a search result: one node a line again.

Where spaces are kept, they tell the nesting. Where runs of spaces were collapsed, PyTensor's branches still do: among the nodes above that
have as many open branches over them as the line has bars, exactly one lacks its last input. The bars of Theano and Aesara do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Span, UnreadableError
from .nodes import ID, end_of_fields

_TWO = re.compile(r"\[(?:id |@)[^\[\]\n]+\][^\[|│├└\n]*[|│├└←]")
"""A branch behind a label, which no line of an unmodified text has."""
_MARKS = re.compile(r"\s*(?=[|│├└←→>])[ |│├└─←→>]+")
_TITLE = re.compile(r"(?P<marks>)\s*(?P<label>(?:Inner graphs?(?: of the scan ops)?|Default updates):)\s*")
_DOTS = re.compile(r"(?P<marks>[ |│├└─]+)(?P<label>···|…|\.{3})(?=\s|$|Inner|Default)")
_START = re.compile(r"\s*[\w<*\-\[(]")
_ORDER = re.compile(r"' {3}\d")
"""A node's name followed by three spaces and its number, as Theano prints it."""
_HELP = "paste it with its line breaks and spaces: what hangs on what is printed with them alone"
_MOST_CHARACTERS = 50_000_000
"""Limit for the restored lines of one graph: those of a chain grow with the square of its length."""


class _Part(NamedTuple):
    """One line as it was printed."""

    marks: str
    """Spaces and branch marks in front of the label, with the space in place of the line break."""
    label: str


def laid_out(text: str, source: str) -> str:
    """`text` with lost line breaks of a graph restored; the same object where none are lost.

    Raises UnreadableError where the spaces are lost too, the branches do not tell the nesting, and the text has no other graph.
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
                raise UnreadableError("this graph is on one line, and its spaces are gone", span=span, help=_HELP)
            rows += lines or [row]
        else:
            rows.append(row)
        start += len(row) + 1
    return "\n".join(rows)


def _parts(row: str) -> Iterator[_Part]:
    """Yields the lines that `row` once was; nothing where it is no such row."""
    found: list[_Part] = []
    begin, marks = 0, ""
    for start, end in [(m.start(), m.end()) for m in ID.finditer(row)]:
        if start < begin:
            continue  # an id behind an arrow belongs to the label before
        if found:
            while rest := _DOTS.match(row, begin) or _TITLE.match(row, begin):
                found.append(_Part(rest["marks"], rest["label"]))
                begin = rest.end()
            branch = _MARKS.match(row, begin, start)
            marks = branch[0] if branch else ""
            begin = branch.end() if branch else begin
            if (marks.rstrip()[-1:] in ("|", "│") and marks[-1] == " ") or not _START.match(row, begin, start):
                return  # a table, or a sentence about nodes
        behind = end_of_fields(row, end)
        found.append(_Part(marks, row[begin:behind].strip() if found else row[:behind]))
        begin = behind
    yield from found
    if rest := _DOTS.match(row, begin):
        yield _Part(rest["marks"], rest["label"])
        begin = rest.end()
    if row[begin:].strip():
        yield _Part("", row[begin:].strip())


def _lines(parts: list[_Part], row: str) -> list[str]:
    """The restored lines of a graph; empty where nothing tells their columns."""
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


def _by_branches(parts: list[_Part]) -> Iterator[str]:
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
