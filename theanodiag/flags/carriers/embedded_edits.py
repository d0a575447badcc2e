"""Converts edits of a value into edits of the file that contains it; refuses edits that would need more than the value's own characters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...errors import Span, line_starts
from ...findings import Edit
from ..flags_variable import FlagsText, parse_flags
from .model import UNKNOWN, Builder, Carried, Mapped, Room

_FREE = {
    Room.BARE: re.compile(r"[\w.,:=/+@-]*"),
    Room.QUOTED: re.compile(r"[\w.,:=/+@ <>;()\[\]~-]*"),
    Room.LINES: re.compile(r"[^$`\\\r\0]*"),
}
"""What may be written without quoting it, by where it stands."""


class NotEditable(Exception):
    """The reason why a value cannot be edited in place."""


def file_edits(carried: Carried, edits: tuple[Edit, ...], path: str) -> tuple[Edit, ...]:
    """Edits of `carried.value.text` as edits of the file. Raises `NotEditable`."""
    return tuple(e for edit in edits for e in _placed(carried, edit, path))


def _placed(carried: Carried, edit: Edit, path: str) -> Iterator[Edit]:
    value, new = carried.value, edit.replacement
    start, end = edit.start, edit.end
    while start < end and new and value.text[start] == new[0]:
        start, new = start + 1, new[1:]
    while start < end and new and value.text[end - 1] == new[-1]:
        end, new = end - 1, new[:-1]
    if UNKNOWN in value.text[start:end]:
        raise NotEditable("a part of it is known only when the program runs")
    if not _FREE[carried.room].fullmatch(new):
        raise NotEditable(f"{new!r} would have to be quoted there")
    if "\n" in new and not _is_plain(value):
        raise NotEditable("new lines would not be lines of their own there")
    runs = list(_runs(value, start, end))
    if not runs:
        place = value.starts[start] if start < len(value) else value.ends[-1] if len(value) else 0
        yield Edit(path, place, place, new)
        return
    yield Edit(path, *runs[0], new)
    for first, last in runs[1:]:
        yield Edit(path, first, last, "")


def _runs(value: Mapped, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The pieces of the file of characters that follow each other there."""
    at = start
    while at < end:
        last = at
        while last + 1 < end and value.starts[last + 1] == value.ends[last]:
            last += 1
        yield value.starts[at], value.ends[last]
        at = last + 1


def _is_plain(value: Mapped) -> bool:
    """Whether the value is a piece of the file as it stands."""
    return len(value) > 0 and value.ends[-1] - value.starts[0] == len(value) and value.starts[-1] - value.starts[0] == len(value) - 1


def span_of(carried: Carried, offset: int, path: str, text: str) -> Span:
    """The place in the file of one character of the value."""
    value = carried.value
    place = value.starts[min(offset, len(value) - 1)] if len(value) else 0
    return Span(path, text, place, place + 1)


def offset_of(text: str, line: int, column: int) -> int:
    """The offset of a place given as line and column."""
    return line_starts(text)[line - 1] + column - 1


def known_part(carried: Carried) -> tuple[Carried, frozenset[str], bool]:
    """The carried flags without unknown parts; the names of flags with unknown values; and whether there may be further flags."""
    text = parse_flags(carried.value.text)
    open_names, anything, builder, at = set[str](), carried.appended, Builder(), 0
    for entry in text.entries:
        if UNKNOWN not in entry.whole:
            continue
        if UNKNOWN in entry.key or entry.value is None:
            anything = True
        else:
            open_names.add(entry.key.replace("__", "."))
        builder.extend(carried.value.part(at, entry.span.start))
        at = entry.span.end
    builder.extend(carried.value.part(at))
    return replace(carried, value=builder.mapped()), frozenset(open_names), anything


def flags_of(carried: Carried) -> FlagsText:
    """The carried value, parsed into flags."""
    return parse_flags(carried.value.text, carried.dialect.flags_variable)
