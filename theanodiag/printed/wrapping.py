"""Joins lines that a terminal broke at its last column, recognised by having the greatest length of all lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .branch_marks import MARKS
from .nodes import ID, closes_more, open_brackets

_NARROWEST = 60
_MAX_JOINED = 64
_MAX_CHARACTERS = 200_000
_NO_START = re.compile(r"[.,)}\]{(]|\[\(| ?\[(?:id |@)")
"""How no label begins."""
_OUTPUT = re.compile(r"\d{1,6}(?: |$)")
_TAIL = re.compile(
    r" {0,20}(?:<[^<>]{1,200}> ?)?(?:'?[^' ]{0,99}' {0,4}|')?(?:(?:[dva]?=)?\{[^{}]{0,99}\} ?){0,3}\d{0,6} *(?:(?P<arrow>->)|\[|$)"
)
"""The end of a label: type, name, maps, order number, storage, or parts of these."""


def broken_rows(rows: Sequence[str]) -> frozenset[int]:
    """Indices of the rows that continue in the next one, without a space in between."""
    width = max(map(len, rows))
    if width < _NARROWEST:
        return frozenset()
    ids = any(map(ID.search, rows))
    found: set[int] = set()
    joined, whole = 0, ""
    for number, row in enumerate(rows):
        if len(row) != width or number + 1 == len(rows):
            continue
        joined, whole = (joined + 1, whole + row) if number - 1 in found else (0, row)
        if joined < _MAX_JOINED and len(whole) < _MAX_CHARACTERS and _goes_on(whole.rstrip("\r"), rows[number + 1].rstrip("\r"), ids):
            found.add(number)
    return frozenset(found)


def _goes_on(row: str, below: str, ids: bool) -> bool:
    """Whether `below` continues `row`, which fills its line; `ids`: whether the text has ids."""
    if not below or below.isspace():
        return False
    label = row.lstrip(MARKS)
    id_ = ID.search(label)
    rest = label[id_.end() :] if id_ else label
    is_open = open_brackets(rest) or (id_ is not None and rest.count("'") % 2 == 1)
    arrow = id_ is not None and rest.rstrip().endswith((" -", " ->"))
    marks = below[: len(below) - len(below.lstrip(MARKS))]
    if marks.strip():  # an inner output has a space before its `>`
        return below[0] == ">" and (arrow or label.count("<") > label.count(">"))
    if is_open or arrow:
        return True
    if id_ or not ids:
        tail = _TAIL.match(below)
        if tail and (tail["arrow"] or not ID.search(below)):
            return True
        if id_:
            return False
    number = label[-1:] == "." and _OUTPUT.match(below)
    return bool(number or _NO_START.match(below)) or closes_more(below) or (ids and label != row and bool(ID.search(below)))
