"""Removes what a log, container, debugger or script put in front of every line of a printed graph, in any form.

A prefix is recognised by two adjacent lines that begin alike (numbers may differ), where behind it the first has a label at once and the
second a branch mark: `[INFO] dot [id A]` and `[INFO]  |x [id B]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .cleaning import MARKS, repair

_LONGEST = 200
_MOST = 64
"""Largest number of prefixes in one text."""
_NO_START = frozenset(MARKS + "\t") - {">"} | {""}
"""First characters of nearly all lines of an unmodified text."""
_BRANCH = re.compile(r" (?:\||[├└┣┗┝┕][─━]|[>←]) ?[^\s|]")
"""Matches the beginning of the first line below an output."""
_NUMBER = re.compile(r" *\d+")


def without_prefixes(rows: list[str], first: int = 0) -> list[str]:
    """`rows` without the prefixes of printed graphs; row number `first` belongs to a graph and shows its indentation."""
    prefixes = _all_prefixes(rows, first)
    if not prefixes:
        return rows
    result = []
    following = iter([*prefixes[1:], None])
    pattern, after = prefixes[0][1], next(following)
    for number, row in enumerate(rows):
        if after is not None and number >= after[0]:
            pattern, after = after[1], next(following)
        flat = _flat(row)
        match = pattern.match(flat) or (after[1].match(flat) if after is not None else None)
        result.append(flat[match.end() :] if match else row)
    return result


def _all_prefixes(rows: Sequence[str], first: int) -> list[tuple[int, re.Pattern[str]]]:
    """(number of the first row that certainly has it, pattern) of each prefix."""
    prefixes: list[tuple[int, re.Pattern[str]]] = []
    indent = len(rows[first]) - len(rows[first].lstrip(" \t"))
    for number, row in enumerate(rows):
        if _begins_as_usual(row, indent) or row.isspace():
            continue  # true for nearly all rows
        above, before = _two_above(rows, number, indent)
        untouched = not indent and above[:1] in _NO_START and before[:1] in _NO_START
        if not untouched and (_may_begin_alike(above, row, indent) or _may_begin_alike(before, row, indent)):
            flat = _flat(row)
            if _BRANCH.search(flat) and (not prefixes or not prefixes[-1][1].match(flat)):
                prefix = _common(_flat(above), flat) or _common(_flat(before), flat)
                if prefix:
                    prefixes.append((max(0, number - 2), _pattern(prefix)))
                    if len(prefixes) == _MOST:
                        break
    return prefixes


def _two_above(rows: Sequence[str], number: int, indent: int) -> tuple[str, str]:
    """The two nearest non-empty rows above row `number`, nearest first."""
    nearest: list[str] = []
    while number and len(nearest) < 2:
        number -= 1
        row = rows[number]
        if row and (_begins_as_usual(row, indent) or not row.isspace()):
            nearest.append(row)
    above, before, *_ = *nearest, "", ""
    return above, before


def _begins_as_usual(row: str, indent: int) -> bool:
    return row[:1] in _NO_START and (not indent or row[indent : indent + 1] in _NO_START)


def _may_begin_alike(above: str, below: str, indent: int) -> bool:
    """Whether two rows may have a common prefix, which hardly any two rows of an unmodified text may."""
    for at in (0, indent) if indent else (0,):
        a, b = above[at : at + 1], below[at : at + 1]
        if (a == b and a not in _NO_START and (a != ">" or not at)) or (a.isdigit() and b.isdigit()):
            return True
    return False


def _flat(row: str) -> str:
    """`row` with tabs and odd spaces as plain spaces."""
    if not row.isascii():
        row = repair(row)
    return row.expandtabs(8) if "\t" in row else row


def _common(above: str, below: str) -> str:
    """The common prefix of an output, `above`, and the first line below it; empty where they are no such lines."""
    i = j = 0
    while i < len(above) and j < len(below) and i < _LONGEST:
        if above[i] == below[j] and not above[i].isdigit():
            if above[i] == " " and (numbers := _numbers(above, i, below, j)):
                i, j = numbers
            else:
                i, j = i + 1, j + 1
        elif numbers := _numbers(above, i, below, j):
            i, j = numbers
        else:
            break
    prefix = above[:i]
    quotes = prefix[:1] == ">" and prefix[-1] == " "  # the mark of an inner graph follows a space, a quotation mark precedes one
    if not (quotes or prefix.strip(MARKS)) or prefix[-1] in "\"'" or prefix.endswith(" |") or "[id " in prefix or "[@" in prefix:
        return ""
    return prefix if above[i : i + 1] not in ("", *MARKS) and _BRANCH.match(below, j) else ""


def _numbers(above: str, i: int, below: str, j: int) -> tuple[int, int] | None:
    """Ends of the numbers at `i` and `j`, padding spaces included; None where there are none."""
    a, b = _NUMBER.match(above, i, i + _LONGEST), _NUMBER.match(below, j, j + _LONGEST)
    return (a.end(), b.end()) if a and b else None


def _pattern(prefix: str) -> re.Pattern[str]:
    """A pattern that matches `prefix` with any numbers; on an empty line its trailing spaces may be missing."""
    body = prefix.rstrip(" ")
    parts = [r" *\d+" if _NUMBER.fullmatch(part) else re.escape(part) for part in re.split(r"( *\d+)", body) if part]
    return re.compile("".join(parts) + rf"(?: {{{len(prefix) - len(body)}}}| *$)")
