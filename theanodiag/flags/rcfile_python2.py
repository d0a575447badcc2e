"""Parses an rc file as CPython 2.7's `ConfigParser` does, which is more lenient; Theano up to 1.0.5 runs on it.

Rules (CPython 2.7.18, Lib/ConfigParser.py, RawConfigParser._read): sections and options may be repeated, and the last one counts; `;`
behind a blank starts an inline comment; a line that begins with `rem` is a comment; every line that begins with a blank continues the value
before it; bytes are not decoded; `""` is the empty text.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..errors import Span
from .model import Entry, Failure, FailureKind, Place
from .rcfile import DEFAULT_SECTION, RcText

BLANKS = " \t\n\r\x0b\x0c"
LINE = re.compile(r"[^\n]*\n?")
HEADER = re.compile(r"\[(?P<header>[^]]+)\]")


def parse_rc2(text: str, source: str) -> RcText:
    """Parses `text`, the contents of the file `source`."""
    reader = _Rc2Reader(text, source)
    for match in LINE.finditer(text):
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
        self.failure: Failure | None = None
        self.bad_line: Failure | None = None

    def line(self, start: int, line: str) -> None:
        """Takes one line that is neither blank nor a comment."""
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
        """The RcText of all lines."""
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

    def _failure(self, exception: str, message: str, start: int, line: str) -> Failure:
        return Failure(FailureKind.RC_SYNTAX, exception, message, Span(self.source, self.text, start, start + len(line.rstrip(BLANKS))))
