"""Text extracted from a file, with the file offset of each character (escapes are decoded), and the flags values found in such texts."""

from __future__ import annotations

import enum
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model import Dialect

LONGEST_VALUE = 10_000
"""Maximum number of characters of a variable's value that is kept: one that doubles itself line by line has no end."""
UNKNOWN = "\ufffc"
"""Placeholder in a value for parts known only when the program runs: `$DEVICE`, `str(n)`, `%d`."""


@dataclass(frozen=True, eq=False)
class Mapped:
    """Text as the program sees it, without quotes and escapes; each character has its offsets in the file."""

    text: str
    starts: Sequence[int]
    """File offset at which each character, or the escape sequence for it, starts."""
    ends: Sequence[int]
    """File offset just past each character, or past the escape sequence for it."""

    @staticmethod
    def whole(text: str) -> Mapped:
        """The text of a whole file: character `n` has the offsets `n` and `n + 1`."""
        return Mapped(text, range(len(text)), range(1, len(text) + 1))

    def part(self, start: int, end: int | None = None) -> Mapped:
        """The slice of the characters from index `start` to `end` (None: to the end), with their offsets."""
        return Mapped(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def stripped(self) -> Mapped:
        """The text without leading and trailing blanks."""
        start = len(self.text) - len(self.text.lstrip())
        return self.part(start, max(start, len(self.text.rstrip())))

    def __len__(self) -> int:
        return len(self.text)


def joined(parts: Iterable[Mapped], between: str = "") -> Mapped:
    """The parts joined by `between`, each character of which gets the end offset of the previous part as its start and end."""
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
        """The value at this file offset; None before the assignment."""
        return self.value if self.since <= place else None


def constants(
    source: Mapped, literal: re.Pattern[str], assigned: re.Pattern[str], inside: Container[int] = (), *, lower: bool = False
) -> dict[str, AssignedOnce]:
    """Variables that a text assigns once, and by a plain word, by name.

    Args:
        literal: Matches such an assignment from the beginning of its line, with the groups `name` and `value`.
        assigned: Matches whatever gives a variable a value; each of its groups has one name or several.
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
    """`text` with each match of `pattern` replaced by the value that `known`, by lowercase names, has there for the name in it, else by one
    `UNKNOWN` character, which has the offsets of the whole match.
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
        """Appends `value` for the characters of `source` from `start` to `end`: with its own offsets, or with those of these characters if
        it has none (a constant: the place where it is used is what an edit may change). `UNKNOWN` for None.
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
        """The text appended so far."""
        return Mapped("".join(self.chars), tuple(self.starts), tuple(self.ends))


class Room(enum.Enum):
    """The surroundings of a value in its file: they decide which characters an edit may insert without adding quotes."""

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
    """A text with the backslash escapes of JSON and Python decoded. An escaped line end is removed; an unknown or invalid escape gives its
    character without the backslash.
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
