"""Parses an rc file as `configparser` of Python 3 and of CPython 2.7 does, with the place of every option.

Python 3 (CPython 3.8 to 3.13, Lib/configparser.py, RawConfigParser._read): `#` and `;` start a comment only at the beginning of a line; an
option ends at its first `=` or `:`; a line indented deeper than its option continues the value, and so do blank lines; duplicate sections
and options are errors; any text may follow a header; option names are converted to lower case, section names are not.

CPython 2.7 (2.7.18, Lib/ConfigParser.py, RawConfigParser._read) is more lenient; Theano up to 1.0.5 runs on it: sections and options may be
repeated, and the last one counts; `;` behind a blank starts an inline comment; a line that begins with `rem` is a comment; every line that
begins with a blank continues the value before it; bytes are not decoded; `""` is the empty text.

`rcfile_text` shares the grammar of a line and refuses nothing: it skips a byte order mark, behind which the parser sees no header, and
treats a line without a name as junk, after which the previous option may continue.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..errors import Span
from .model import Entry, FailedStart, FailureKind, Place

DEFAULT_SECTION = "DEFAULT"
"""The section whose options count in every section that the file has."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""Matches a physical line with its end-of-line characters."""


def option(content: str) -> tuple[str, str] | None:
    """Splits a stripped line at its first `=` or `:` into name and value; None if it has neither.

    The name may be empty. `configparser` uses the expression `(?P<option>.*?)\\s*[=:]\\s*(?P<value>.*)$`, whose time is quadratic in the
    number of blanks.

    >>> option("ldflags = -L/opt:/usr"), option("floatX"), option(": a")
    (('ldflags', '-L/opt:/usr'), None, ('', 'a'))
    """
    at = min((place for place in (content.find("="), content.find(":")) if place >= 0), default=None)
    return None if at is None else (content[:at].rstrip(), content[at + 1 :].lstrip())


def header(python: tuple[int, int]) -> re.Pattern[str]:
    """Returns the pattern of a section header in a stripped line. Before Python 3.10 the name ends at the first bracket."""
    return re.compile(r"\[(?P<header>.+)\]" if python >= (3, 10) else r"\[(?P<header>[^]]+)\]")


@dataclass(frozen=True)
class RcText:
    """The contents of one rc file."""

    entries: tuple[Entry, ...]
    """Its options in order, also those in `[DEFAULT]`."""
    sections: tuple[str, ...]
    """Names of its sections without `[DEFAULT]`."""
    failure: FailedStart | None
    """The error with which `configparser` refuses it; None where it is accepted.

    `entries` are then those that can be made out nevertheless.
    """


def parse_rc(text: str, source: str, python: tuple[int, int] = (3, 8)) -> RcText:
    """Parses `text`, the contents of the file `source`, as the `configparser` of that Python version does."""
    reader = _RcReader(text, source, header(python))
    for start, line in _lines(text):
        reader.line(start, line)
    return reader.result()


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """(place, text without end-of-line characters) of each line."""
    for match in LINE.finditer(text):
        yield match.start(), match[0].rstrip("\r\n")


@dataclass
class _Open:
    """An option whose value may be continued by the next lines."""

    section: str
    key: str
    key_span: Span
    value_start: int
    value_end: int
    parts: list[str]

    def close(self) -> Entry:
        """Returns the finished entry."""
        span = Span(self.key_span.source, self.key_span.text, self.value_start, self.value_end)
        return Entry(Place.FILE, self.key, "\n".join(self.parts).rstrip(), self.key_span, span, self.section)


class _RcReader:
    """The state of `RawConfigParser._read`."""

    def __init__(self, text: str, source: str, header: re.Pattern[str]) -> None:
        self.text = text
        self.source = source
        self.header = header
        self.section: str | None = None
        self.open: _Open | None = None
        self.options: list[_Open] = []
        self.sections: dict[str, None] = {}
        self.seen: set[tuple[str, str]] = set()
        self.indent = 0
        self.failure: FailedStart | None = None
        self.bad_line: FailedStart | None = None

    def result(self) -> RcText:
        """Returns the RcText. Errors about lines that are not options are reported only if there was no other error before them."""
        return RcText(tuple(o.close() for o in self.options), tuple(self.sections), self.failure or self.bad_line)

    def line(self, start: int, line: str) -> None:
        """Processes one line, which starts at `start`."""
        content = line.strip()
        if not content or content[0] in "#;":
            if not content and self.open:
                self.open.parts.append("")
            return
        indent = len(line) - len(line.lstrip())
        begin = start + indent
        if self.section is not None and self.open and indent > self.indent:
            self.open.parts.append(content)
            self.open.value_end = begin + len(content)
            return
        self.indent = indent
        header = self.header.match(content)
        if header:
            self._begin_section(header["header"], begin, len(header[0]))
        elif self.section is None:
            self._fail("MissingSectionHeaderError", f"File contains no section headers: {content!r}", self._span(begin, len(content)))
        else:
            self._option(begin, content)

    def _begin_section(self, name: str, begin: int, length: int) -> None:
        if name in self.sections:
            self._fail("DuplicateSectionError", f"section {name!r} already exists", self._span(begin, length))
        elif name != DEFAULT_SECTION:
            self.sections[name] = None
        self.section, self.open = name, None

    def _option(self, begin: int, content: str) -> None:
        pair = option(content)
        if pair is None:
            self._bad(begin, content)
            return
        assert self.section is not None
        key, value = pair
        if not key:
            self._bad(begin, content)
        span = self._span(begin, len(key))
        if (self.section, key.lower()) in self.seen:
            self._fail("DuplicateOptionError", f"option {key.lower()!r} in section {self.section!r} already exists", span)
        self.seen.add((self.section, key.lower()))
        value_start = begin + len(content) - len(value)
        entry = _Open(self.section, key, span, value_start, value_start + len(value), [value])
        self.options.append(entry)
        # An option without a name takes no further lines.
        self.open = entry if key else None

    def _span(self, start: int, length: int) -> Span:
        return Span(self.source, self.text, start, start + length)

    def _bad(self, begin: int, content: str) -> None:
        message = f"Source contains parsing errors: {content!r}"
        self.bad_line = self.bad_line or FailedStart(FailureKind.RC_SYNTAX, "ParsingError", message, self._span(begin, len(content)))

    def _fail(self, exception: str, message: str, span: Span) -> None:
        self.failure = self.failure or FailedStart(FailureKind.RC_SYNTAX, exception, message, span)


BLANKS = " \t\n\r\x0b\x0c"
_PYTHON2_LINE = re.compile(r"[^\n]*\n?")
HEADER = re.compile(r"\[(?P<header>[^]]+)\]")


def parse_rc2(text: str, source: str) -> RcText:
    """Returns the lines and entries of `text`, the contents of the file `source`."""
    reader = _Rc2Reader(text, source)
    for match in _PYTHON2_LINE.finditer(text):
        line = match[0]
        if line.strip(BLANKS) and line[0] not in "#;" and not _is_remark(line):
            reader.line(match.start(), line)
    return reader.result()


def _is_remark(line: str) -> bool:
    """Whether a line is a comment that starts with the word `rem`."""
    return line[0] in "rR" and re.split(f"[{BLANKS}]", line, maxsplit=1)[0].lower() == "rem"


def _option(line: str) -> tuple[str, str, int] | None:
    """(name, value, where the value begins) of a line; None if it has no option.

    The library's expression, `(?P<option>[^:=\\s][^:=]*)\\s*(?P<vi>[:=])\\s*(?P<value>.*)$`, takes time quadratic in the blanks.
    """
    at = min((place for place in (line.find("="), line.find(":")) if place >= 0), default=0)
    if not at or line[0] in BLANKS:
        return None
    value = line[at + 1 :].lstrip(BLANKS)
    return line[:at].rstrip(BLANKS), value.removesuffix("\n"), len(line) - len(value)


class _Rc2Reader:
    """The state of `RawConfigParser._read`."""

    def __init__(self, text: str, source: str) -> None:
        self.text = text
        self.source = source
        self.section: str | None = None
        self.continues = False
        self.entries: list[Entry] = []
        self.sections: dict[str, None] = {}
        self.more: list[str] = []
        """Continuation lines of the last entry's value."""
        self.failure: FailedStart | None = None
        self.bad_line: FailedStart | None = None

    def line(self, start: int, line: str) -> None:
        """Processes one line that is neither blank nor a comment."""
        if line[0] in BLANKS and self.section is not None and self.continues:
            self._continue(start, line)
            return
        header = HEADER.match(line)
        if header:
            self.section, self.continues = header["header"], False
            if self.section != DEFAULT_SECTION:
                self.sections[self.section] = None
        elif self.section is None:
            message = f"File contains no section headers: {line!r}"
            self.failure = self.failure or self._failure("MissingSectionHeaderError", message, start, line)
        else:
            self._option(self.section, start, line)

    def _continue(self, start: int, line: str) -> None:
        last, content = self.entries[-1], line.strip(BLANKS)
        end = start + len(line.rstrip(BLANKS))
        span = Span(self.source, self.text, last.value_span.start, end)
        self.entries[-1] = Entry(Place.FILE, last.key, last.raw, last.key_span, span, last.section)
        self.more.append(content)

    def _finish(self) -> None:
        """Appends the continuation lines to the last entry's value."""
        if self.more:
            self.entries[-1] = replace(self.entries[-1], raw="\n".join([self.entries[-1].raw, *self.more]))
            self.more = []

    def result(self) -> RcText:
        """Returns the RcText of all lines."""
        self._finish()
        return RcText(tuple(self.entries), tuple(self.sections), self.failure or self.bad_line)

    def _option(self, section: str, start: int, line: str) -> None:
        parts = _option(line)
        if parts is None:
            self.bad_line = self.bad_line or self._failure("ParsingError", f"File contains parsing errors: {line!r}", start, line)
            return
        self._finish()
        key, raw, value_start = parts
        at = raw.find(";")
        # At position 0 the library examines the last character of the value instead of the one before.
        if at >= 0 and raw[at - 1] in BLANKS:
            raw = raw[:at]
        raw = raw.strip(BLANKS)
        begin = start + value_start
        key_span = Span(self.source, self.text, start, start + len(key))
        value_span = Span(self.source, self.text, begin, begin + len(raw))
        self.entries.append(Entry(Place.FILE, key, "" if raw == '""' else raw, key_span, value_span, section))
        self.continues = True

    def _failure(self, exception: str, message: str, start: int, line: str) -> FailedStart:
        return FailedStart(FailureKind.RC_SYNTAX, exception, message, Span(self.source, self.text, start, start + len(line.rstrip(BLANKS))))
