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
"""Surroundings of a value -> texts that an edit may insert there without adding quotes."""


class NotEditable(Exception):
    """Raised where a value cannot be edited in place; the message is the reason."""


def file_edits(carried: Carried, edits: tuple[Edit, ...], path: str) -> tuple[Edit, ...]:
    """Converts edits of `carried.value.text` to edits of the file.

    Raises `NotEditable` if the new text would need quotes or lines of its own, or replaces a part known only at run time.
    """
    return tuple(e for edit in edits for e in _placed(carried, edit, path))


def _placed(carried: Carried, edit: Edit, path: str) -> Iterator[Edit]:
    """Yields the edits of the file for one edit of the value, without the characters that stay the same. Raises `NotEditable`."""
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
    """Yields the (start, end) file offsets of the value's characters from `start` to `end`, one pair for each stretch that is contiguous in
    the file.
    """
    at = start
    while at < end:
        last = at
        while last + 1 < end and value.starts[last + 1] == value.ends[last]:
            last += 1
        yield value.starts[at], value.ends[last]
        at = last + 1


def _is_plain(value: Mapped) -> bool:
    """Whether the value is one contiguous piece of the file, without escapes or joined parts."""
    return len(value) > 0 and value.ends[-1] - value.starts[0] == len(value) and value.starts[-1] - value.starts[0] == len(value) - 1


def span_of(carried: Carried, offset: int, path: str, text: str) -> Span:
    """The Span in the file of the value's character at index `offset`, or of its last character if the index is too large."""
    value = carried.value
    place = value.starts[min(offset, len(value) - 1)] if len(value) else 0
    return Span(path, text, place, place + 1)


def offset_of(text: str, line: int, column: int) -> int:
    """The offset in `text` of a line and column, both counted from 1."""
    return line_starts(text)[line - 1] + column - 1


def known_part(carried: Carried) -> tuple[Carried, frozenset[str], bool]:
    """Removes the entries with unknown parts from a value: (the rest, dotted names of the flags whose values are unknown, whether the value
    may set other flags).
    """
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
    """The value's text split into flags."""
    return parse_flags(carried.value.text, carried.dialect.flags_variable)
