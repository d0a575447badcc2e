"""Text extracted from a file, with the file offset of each character (escapes are decoded), the flags values found in such texts, and the
edits of the file that change a value. An edit that would need more than the value's own characters is refused.
"""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...errors import Span, line_starts
from ...findings import Edit
from ..flags_variable import FlagsText, parse_flags
from ..model import Dialect

LONGEST_VALUE = 10_000
"""Maximum number of characters of a variable's value that is kept: one that doubles itself line by line has no end."""
UNKNOWN = "\ufffc"
"""Placeholder in a value for parts known only when the program runs: `$DEVICE`, `str(n)`, `%d`."""


@dataclass(frozen=True, eq=False)
class Mapped:
    """Text as the program sees it, without quotes and escapes. Each character has its start and end offset in the file."""

    text: str
    starts: Sequence[int]
    """File offset at which each character, or the escape sequence for it, starts."""
    ends: Sequence[int]
    """File offset just past each character, or past the escape sequence for it."""

    @staticmethod
    def whole(text: str) -> Mapped:
        """Returns the text of a whole file: character `n` has the offsets `n` and `n + 1`."""
        return Mapped(text, range(len(text)), range(1, len(text) + 1))

    def part(self, start: int, end: int | None = None) -> Mapped:
        """Returns the slice of the characters from index `start` to `end` (None: to the end), with their offsets."""
        return Mapped(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def stripped(self) -> Mapped:
        """Returns the text without leading and trailing blanks."""
        start = len(self.text) - len(self.text.lstrip())
        return self.part(start, max(start, len(self.text.rstrip())))

    def __len__(self) -> int:
        return len(self.text)


def joined(parts: Iterable[Mapped], between: str = "") -> Mapped:
    """Joins the parts by `between`. Each character of `between` gets the end offset of the previous part as its start and end."""
    builder = Builder()
    for n, part in enumerate(parts):
        if n:
            place = builder.ends[-1] if builder.ends else (part.starts[0] if part.text else 0)
            for c in between:
                builder.add(c, place, place)
        builder.extend(part)
    return builder.mapped()


@dataclass(frozen=True, eq=False)
class AssignedOnce:
    """The value of a variable that a text assigns once."""

    value: Mapped
    """One with `=`, which is of flags, has its offsets; others have none, since they may be used for more than flags."""
    since: int
    """File offset just past the assignment."""

    def at(self, place: int) -> Mapped | None:
        """Returns the value at this file offset; None before the assignment."""
        return self.value if self.since <= place else None


def constants(
    source: Mapped, literal: re.Pattern[str], assigned: re.Pattern[str], inside: Container[int] = (), *, lower: bool = False
) -> dict[str, AssignedOnce]:
    """Finds the variables that a text assigns once, and by a plain word. Returns name -> value.

    Args:
        literal: Matches an assignment of a plain word from the beginning of its line, with the groups `name` and `value`.
        assigned: Matches everything that gives a variable a value; each of its groups has one name or several.
        inside: Offsets of the lines whose assignments may not run: those in conditions, loops and functions.
        lower: Whether case makes no difference in names; those of the result are lowercase.
    """
    text = source.text
    names = (name for match in assigned.finditer(text) for group in match.groups() if group for name in re.findall(r"\w+", group))
    times = Counter(name.lower() if lower else name for name in names)
    found = dict[str, AssignedOnce]()
    for m in literal.finditer(text):
        name = m["name"].lower() if lower else m["name"]
        if times[name] == 1 and m.start() not in inside:
            value = source.part(*m.span("value")) if "=" in m["value"] else Mapped(m["value"], (), ())
            found[name] = AssignedOnce(value, source.ends[m.end("value") - 1])
    return found


def blanked(text: Mapped, pattern: re.Pattern[str], known: Mapping[str, AssignedOnce] | None = None) -> Mapped:
    """Returns `text` with each match of `pattern` replaced by the value of the variable that it names (`known`, by lowercase name), or by
    one `UNKNOWN` character, which has the offsets of the whole match.
    """
    builder, at = Builder(), 0
    for match in pattern.finditer(text.text):
        builder.extend(text.part(at, match.start()))
        constant = known.get(match[0].strip("%!${}").lower()) if known else None
        builder.put(text, match.start(), match.end(), constant.at(text.starts[match.start()]) if constant else None)
        at = match.end()
    builder.extend(text.part(at))
    return builder.mapped()


class Builder:
    """Builds a `Mapped` text piece by piece."""

    def __init__(self) -> None:
        self.chars: list[str] = []
        self.starts: list[int] = []
        self.ends: list[int] = []

    def add(self, char: str, start: int, end: int) -> None:
        """Appends the characters of `char`, each with the file offsets `start` and `end`."""
        for c in char:
            self.chars.append(c)
            self.starts.append(start)
            self.ends.append(end)

    def take(self, source: Mapped, start: int, end: int | None = None, char: str | None = None) -> None:
        """Appends the characters of `char` (default: the character of `source` at index `start`), each with the file offsets of the
        characters of `source` from `start` to `end` (default: `start + 1`).
        """
        last = (start + 1 if end is None else end) - 1
        self.add(source.text[start] if char is None else char, source.starts[start], source.ends[last])

    def put(self, source: Mapped, start: int, end: int, value: Mapped | None) -> None:
        """Appends `value` for the characters of `source` from `start` to `end`. A value without offsets of its own (a constant) gets the
        offsets of these characters, because an edit may change only the place where the constant is used. Appends `UNKNOWN` for None.
        """
        if value is None:
            self.take(source, start, end, UNKNOWN)
        elif value.starts or not value.text:
            self.extend(value)
        else:
            self.take(source, start, end, value.text[0])
            self.add(value.text[1:], source.ends[end - 1], source.ends[end - 1])

    def extend(self, piece: Mapped) -> None:
        """Appends a text with its offsets."""
        self.chars.extend(piece.text)
        self.starts.extend(piece.starts)
        self.ends.extend(piece.ends)

    def mapped(self) -> Mapped:
        """Returns the text appended so far."""
        return Mapped("".join(self.chars), tuple(self.starts), tuple(self.ends))


class Room(enum.Enum):
    """The surroundings of a value in its file, which decide which characters an edit may insert without adding quotes."""

    BARE = "outside quotes"
    QUOTED = "inside quotes, or up to the end of a line"
    LINES = "whole lines"


@dataclass(frozen=True, eq=False)
class Carried:
    """A value that a file gives to a flags variable, or the contents of an rc file that it writes."""

    dialect: Dialect
    value: Mapped
    room: Room
    name: tuple[int, int] | None
    """(start, end) file offsets of the variable's name; None for the contents of an rc file."""
    appended: bool = False
    """Whether the value is appended to the variable's current value, as by `+=`."""
    target: str = ""
    """Path of the rc file that is written; `''` if unknown, and for a variable."""

    @property
    def is_rc(self) -> bool:
        """Whether the value is the contents of an rc file."""
        return self.name is None


@dataclass(frozen=True)
class Reading:
    """The flags that one file sets."""

    carried: tuple[Carried, ...] = ()
    set_in_code: frozenset[str] = frozenset()
    """Dotted names of flags that the program sets itself: `theano.config.floatX = ...`."""


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", '"': '"', "\\": "\\", "'": "'", "0": "\0", "e": "\x1b"}


def json_strings(source: Mapped) -> Iterator[Mapped]:
    """Yields each string literal of a JSON text, without its quotes and with escapes decoded."""
    for match in _STRING.finditer(source.text):
        yield unescaped(source.part(match.start() + 1, match.end() - 1))


def unescaped(source: Mapped) -> Mapped:
    """Returns a text with the backslash escapes of JSON and Python decoded. An escaped line end is removed; for an unknown or invalid
    escape only the backslash is removed.
    """
    if "\\" not in source.text:
        return source
    builder, at = Builder(), 0
    while at < len(source):
        if source.text[at] != "\\" or at + 1 >= len(source):
            builder.take(source, at)
            at += 1
            continue
        follows = source.text[at + 1]
        width = {"u": 6, "x": 4}.get(follows, 2)
        digits = source.text[at + 2 : at + width]
        if width > 2 and re.fullmatch(r"[0-9a-fA-F]+", digits) and len(digits) == width - 2:
            builder.take(source, at, at + width, chr(int(digits, 16)))
        elif follows == "\n":
            width = 2
        else:
            width = 2
            builder.take(source, at, at + 2, _SIMPLE.get(follows, source.text[at : at + 2] if width > 2 else follows))
        at += width
    return builder.mapped()


_FREE = {
    Room.BARE: re.compile(r"[\w.,:=/+@-]*"),
    Room.QUOTED: re.compile(r"[\w.,:=/+@ <>;()\[\]~-]*"),
    Room.LINES: re.compile(r"[^$`\\\r\0]*"),
}
"""Surroundings of a value -> texts that an edit may insert there without adding quotes."""


class NotEditable(Exception):
    """Raised if a value cannot be edited in place; the message is the reason."""


_EXPANSION = re.compile(r"\$[{(]?(\w+)")


def file_edits(carried: Carried, edits: tuple[Edit, ...], path: str, text: str) -> tuple[Edit, ...]:
    """Converts edits of `carried.value.text` to edits of the file, whose content is `text`.

    Raises `NotEditable` if the new text would need quotes or lines of its own, or if an edit would replace a part that is known only at run
    time, or a variable of which only the default is known.
    """
    placed = tuple(e for edit in edits for e in _placed(carried, edit, path))
    for name in (name for e in placed for name in _EXPANSION.findall(text[e.start : e.end])):
        if re.search(rf"(?<!\w){name}[ \t]*(?:\?=|=[\"']?\$\{{\w+:?[-=])", text):
            raise NotEditable(f"{name} has this value only where no other is given: change its default by hand")
    return placed


def _placed(carried: Carried, edit: Edit, path: str) -> Iterator[Edit]:
    """Yields the edits of the file for one edit of the value, without the characters that stay the same. Raises `NotEditable`."""
    value, new = carried.value, edit.replacement
    start, end = edit.start, edit.end
    while start < end and new and value.text[start] == new[0] and not _of_constant(value, start):
        start, new = start + 1, new[1:]
    while start < end and new and value.text[end - 1] == new[-1] and not _of_constant(value, end - 1):
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


def _of_constant(value: Mapped, at: int) -> bool:
    """Whether the character at index `at` is of a constant, which stands as a whole in place of its name: no part of it can be replaced."""
    first = at
    while first and value.starts[first] == value.ends[first]:
        first -= 1
    longer = first < at or (at + 1 < len(value) and value.starts[at + 1] == value.ends[at + 1])
    return longer and value.ends[first] - value.starts[first] > 1


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
    """Returns the Span in the file of the value's character at index `offset`, or of its last character if the index is too large."""
    value = carried.value
    place = value.starts[min(offset, len(value) - 1)] if len(value) else 0
    return Span(path, text, place, place + 1)


def offset_of(text: str, line: int, column: int) -> int:
    """Returns the offset in `text` of a line and column, both counted from 1."""
    return line_starts(text)[line - 1] + column - 1


def known_part(carried: Carried) -> tuple[Carried, frozenset[str], bool]:
    """Removes the entries with unknown parts from a value. Returns (the other entries, dotted names of the flags with unknown values,
    whether the value may set other flags).
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


_NUMBERED_GPU = re.compile(rf"\s*device\s*=\s*(?:gpu|cuda)(?={UNKNOWN}+\s*$)")


def numbered_gpus(carried: Carried) -> Iterator[Carried]:
    """Yields each `device=gpu` or `device=cuda` of which only the number is unknown until the program runs (`device=gpu$1`), without the
    number.
    """
    for entry in parse_flags(carried.value.text).entries:
        if known := _NUMBERED_GPU.match(entry.whole):
            yield replace(carried, value=carried.value.part(entry.span.start, entry.span.start + known.end()))


def flags_of(carried: Carried) -> FlagsText:
    """Returns the value's text split into flags."""
    return parse_flags(carried.value.text, carried.dialect.flags_variable)
