"""Finds known messages in a log, in time linear in its length and independent of the number of templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from . import (
    build_messages,
    command_messages,
    cuda_messages,
    ended_messages,
    host_messages,
    library_messages,
    theano_messages,
    value_messages,
    xla_messages,
)
from .model import Cause, Template, Weight

TEMPLATES = (
    *cuda_messages.MESSAGES,
    *theano_messages.MESSAGES,
    *ended_messages.MESSAGES,
    *value_messages.MESSAGES,
    *host_messages.MESSAGES,
    *xla_messages.MESSAGES,
    *build_messages.MESSAGES,
    *library_messages.MESSAGES,
    *command_messages.MESSAGES,
)
"""All known messages."""
_TEMPLATES = tuple((t, t.expression[:1] == "^" or not re.search(r"\(\?s|\\[snWD]|\[\^", t.expression)) for t in TEMPLATES)
"""Each message, and whether its pattern stays in one line."""
MOST = 40
"""For each template, the number of last occurrences examined."""
FEWEST = 2
"""Minimum number of last occurrences examined, however many templates a text matches."""
OCCURRENCES = 1_200
"""Maximum number of occurrences examined in total, for texts that match more templates than any job prints."""
WINDOW = 2_000
"""Maximum number of characters from the beginning of a message's line within which its pattern must match."""
WARNING = re.compile(
    r"[^\n]{0,200}?(?:(?:WARNING|INFO|Warning)\b|failed call to cuInit)|"
    r"(?:\S{1,30} ){0,2}[WI](?:\d{4}|(?= (?:tensorflow|external|tsl|xla|jaxlib|T[FS]L?)\b))"
)
"""A warning line of a logger, or of TensorFlow and XLA, after which the job continues."""
CHUNK = 1 << 16
"""Bytes of a log that are split into lines at a time."""
_DIGITS = bytes.maketrans(b"123456789", b"000000000")
_WORDS = bytes(byte if byte >= 128 or chr(byte).isalnum() else 32 for byte in range(256))


class Event(NamedTuple):
    """A failure stated in a log: an occurrence of a known message or exception class."""

    at: int
    """Offset of the beginning of its line."""
    form: Template
    match: re.Match[str]
    weight: Weight
    """Weight of its template; a warning need not end the job, whatever it says."""

    @property
    def cause(self) -> Cause:
        """Returns the cause that its template gives."""
        return self.form.cause


def messages(text: str) -> Iterator[Event]:
    """Returns the last occurrences of each known message, in no particular order."""
    narrow = _narrow(text)
    lines = _lines(narrow)
    present = _present(lines)
    most = max(FEWEST, min(MOST, OCCURRENCES // max(1, len(present))))
    starts = {anchor.text: list(_starts(narrow, lines, anchor.form, _narrow(anchor.text), most)) for anchor in present}
    for form, of_line in _TEMPLATES:
        for start in starts.get(form.anchor, ()):
            match = form.pattern.search(text[start : line_end(text, start)] if of_line else text[start : start + WINDOW])
            if match and "\n" not in text[start : start + match.start()] and (form.anchor.isascii() or form.anchor in match.string):
                warns = form.rank is Weight.STOP and WARNING.match(text, start, line_end(text, start))
                yield Event(start, form, match, Weight.NOTE if warns else form.rank)


def line_end(text: str, start: int) -> int:
    """Returns the offset of the end of the line that begins at `start`; lines are cut at `WINDOW` characters."""
    end = text.find("\n", start, start + WINDOW)
    return min(len(text), start + WINDOW) if end < 0 else end


def line_starts(text: str, words: Sequence[str]) -> Iterator[int]:
    """Yields the offsets of the lines with the last occurrences of each of these words, which are without digits."""
    narrow = _narrow(text)
    lines = _lines(narrow)
    return (start for word in map(str.encode, words) for start in _starts(narrow, lines, word, word, MOST))


def _starts(text: bytes, lines: Sequence[_Lines], form: bytes, anchor: bytes, most: int) -> Iterator[int]:
    """Offsets of the lines with the last occurrences of `anchor`, from the last one; `form` is the anchor with one digit for all.

    Only those parts of the text are searched whose different lines have it.
    """
    for part in reversed(lines):
        found = list(_occurrences(text, anchor, part)) if form in part.different else []
        for at in reversed(found[-most:]):
            reach = max(0, at - WINDOW // 2)
            yield max(text.rfind(b"\n", reach, at) + 1, reach)
        most -= len(found)
        if most <= 0:
            return


def _occurrences(text: bytes, anchor: bytes, part: _Lines) -> Iterator[int]:
    at = text.find(anchor, part.at, part.end)
    while at >= 0:
        yield at
        at = text.find(anchor, at + len(anchor), part.end)


def _narrow(text: str) -> bytes:
    """A text with one byte for each character, so that offsets stay; characters outside of Latin-1 are question marks."""
    return text.encode("latin-1", "replace")


class _Anchor(NamedTuple):
    """An anchor, split into words: a log without these words cannot contain it, which is cheaper to test."""

    text: str
    inner: frozenset[bytes]
    """The words in it that are whole."""
    edges: tuple[bytes, ...]
    """Its first and its last word: ends and beginnings of words of the log."""
    form: bytes


def _anchor(text: str) -> _Anchor:
    form = _narrow(text).translate(_DIGITS)
    first, *words = form.translate(_WORDS).split(b" ")
    edges = tuple(edge for edge in (first, words[-1] if words else b"") if edge)
    return _Anchor(text, frozenset(word for word in words[:-1] if word), edges, form)


_ANCHORS = tuple(_anchor(text) for text in dict.fromkeys(t.anchor for t in TEMPLATES))


class _Lines(NamedTuple):
    """A part of a log, of whole lines."""

    at: int
    end: int
    different: bytes
    """Its lines without repetition, in no order; one digit stands for all, since jobs print lines that differ in numbers alone."""


def _lines(text: bytes) -> list[_Lines]:
    """The parts of a log, each as large as a processor's cache holds."""
    data = text.translate(_DIGITS)
    return [_Lines(at, at + len(piece), b"\n".join(set(piece.split(b"\n")))) for at, piece in _cut(data, b"\n")]


def _present(lines: Sequence[_Lines]) -> list[_Anchor]:
    """The anchors that a log has; words are searched once."""
    different = b"\n".join({line for part in lines for line in part.different.split(b"\n")})
    words = {word for _, piece in _cut(different.translate(_WORDS), b" ") for word in piece.split(b" ")}
    joined = b"\n".join(words)
    return [a for a in _ANCHORS if a.inner <= words and all(edge in joined for edge in a.edges) and a.form in different]


def _cut(data: bytes, between: bytes) -> Iterator[tuple[int, bytes]]:
    """Pieces of `data` of some `CHUNK` bytes that end before a separator, each with its offset."""
    at = 0
    while at < len(data):
        end = data.find(between, at + CHUNK)
        end = len(data) if end < 0 else end
        yield at, data[at:end]
        at = end + 1
