"""The lossless text of an rc file: every physical line unchanged, with the entries that the libraries read from it.

Lines are classified as CPython's `configparser` does it with its defaults (Lib/configparser.py, `_read`, 3.6 to 3.13), because Theano,
Aesara and PyTensor all parse their file with it. Nothing is refused here: what the parser would refuse becomes a `Flaw` with its place.
"""

from __future__ import annotations

import enum
import functools
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from ..errors import Span, UnreadableError
from ..findings import Edit
from .rcfile import DEFAULT_SECTION, LINE, header, option

BOM = "\ufeff"
_LOST = re.compile("[\udc80-\udcff]+")


def decode(data: bytes, source: str) -> str:
    """Returns the text of `data`. Raises `UnreadableError` for UTF-16 and for text with a NUL byte."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        shown = data[2:].decode("utf-16-le" if data[0] == 0xFF else "utf-16-be", "replace")
        advice = "save it as UTF-8 without a byte order mark"
        raise UnreadableError("the file is in UTF-16; the libraries read UTF-8", span=Span(source, shown, 0, 1), help=advice)
    text = data.decode("utf-8", "surrogateescape")
    if "\0" in text:
        place = Span(source, text, text.index("\0"), text.index("\0") + 1)
        raise UnreadableError("a NUL byte: this is not a text file", span=place, help="check the name of the file")
    return text


def encode(text: str) -> bytes:
    """Returns the bytes of a text that `decode` returned."""
    return text.encode("utf-8", "surrogateescape")


def undecodable(text: str) -> tuple[tuple[int, int], ...]:
    """Returns the ranges (start, end) of characters that stand for bytes which are not UTF-8."""
    return tuple(match.span() for match in _LOST.finditer(text))


def from_latin1(text: str) -> str:
    """Returns `text` with each undecodable byte decoded as Windows-1252, the usual encoding of such files."""
    return "".join(_cp1252(c) if "\udc80" <= c <= "\udcff" else c for c in text)


def _cp1252(c: str) -> str:
    byte = bytes([ord(c) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")


class LineKind(enum.Enum):
    """How the parser classifies a physical line."""

    BLANK = "blank"
    COMMENT = "comment"
    SECTION = "section"
    OPTION = "option"
    CONTINUATION = "continuation"
    JUNK = "junk"


class FlawKind(enum.Enum):
    """Why the parser would reject the file; the value is the reason in messages."""

    BOM = "a byte order mark"
    NOT_UTF8 = "a byte that is not UTF-8"
    NO_HEADER = "an option before the first [section]"
    JUNK = "a line that is neither a [section], an option nor a comment"
    DUPLICATE_SECTION = "a section that is already in the file"
    DUPLICATE_OPTION = "an option that is already in the section"


@dataclass(frozen=True)
class PhysicalLine:
    """One physical line, `text[start:stop]`; its end-of-line characters begin at `end`."""

    kind: LineKind
    start: int
    end: int
    stop: int
    section: int
    """Index of its section; -1 before the first header."""


@dataclass(frozen=True)
class RcSection:
    """A `[header]`; several may have the same name."""

    name: str
    span: Span
    """The brackets and the text between them."""
    tail: str
    """The text behind the bracket, which the parser ignores."""


@dataclass(frozen=True)
class RcEntry:
    """One `option = value` with its continuation lines."""

    section: str
    """Name of the section as written; `''` before the first header."""
    option: str
    """Name as written; the parser compares it in lower case."""
    value: str
    """The value that the parser returns before interpolation: lines joined by newlines."""
    span: Span
    """From the option's name to the end of the value."""
    name_span: Span
    value_span: Span
    first_line: int
    """0-based index of the option's line in `RcDocument.lines`."""
    last_line: int
    """0-based index of the last line that is part of the value."""

    @property
    def key(self) -> str:
        """The option's name in lower case, as the parser compares it."""
        return self.option.lower()


@dataclass(frozen=True)
class Flaw:
    """A place in a file because of which the parser rejects the whole file."""

    kind: FlawKind
    span: Span
    """The place that the parser refuses."""
    first: Span | None = None
    """For duplicates: the first occurrence."""


@dataclass(frozen=True)
class RcDocument:
    """A whole rc file."""

    source: str
    """The file's path for messages."""
    text: str
    """The whole text, with its end-of-line characters."""
    lines: tuple[PhysicalLine, ...]
    sections: tuple[RcSection, ...]
    entries: tuple[RcEntry, ...]
    flaws: tuple[Flaw, ...]
    """What the parser would refuse, in the order of the file; flaws of the encoding come first."""

    @property
    def newline(self) -> str:
        r"""The end-of-line characters that the file uses; `\n` where it has none."""
        first = next((line for line in self.lines if line.stop > line.end), None)
        return self.text[first.end : first.stop] if first else "\n"

    def span(self, start: int, end: int) -> Span:
        """Returns a Span in this file."""
        return Span(self.source, self.text, start, end)

    def find(self, section: str, key: str) -> RcEntry | None:
        """Returns the last entry of `[section] key`, which takes effect; None if there is none. `key` is in lower case."""
        return next((e for e in reversed(self.entries) if e.section == section and e.key == key), None)

    @functools.cached_property
    def options(self) -> dict[str, dict[str, str]]:
        """Section -> option in lower case -> value."""
        sections: dict[str, dict[str, str]] = {}
        for e in self.entries:
            sections.setdefault(e.section, {})[e.key] = e.value
        return sections

    @functools.cached_property
    def lines_of(self) -> dict[int, list[int]]:
        """Index of a section -> indices of its lines; -1 for lines before the first header."""
        by_section: dict[int, list[int]] = {}
        for n, line in enumerate(self.lines):
            by_section.setdefault(line.section, []).append(n)
        return by_section

    @functools.cached_property
    def section_numbers(self) -> dict[str, int]:
        """Name of a section -> index of the first section of that name."""
        return {s.name: n for n, s in reversed(list(enumerate(self.sections)))}


def parse_rc(text: str, source: str = "<rc>", *, python: tuple[int, int] = (3, 11)) -> RcDocument:
    """Parses the text of an rc file as the `configparser` of that Python version does; `decode` makes the text from bytes."""
    parser = _Parser(source, text, header(python))
    for match in LINE.finditer(text):
        parser.feed(match)
    return parser.document()


class _Parser:
    """Builds a `RcDocument` line by line; the fields mirror the state of `configparser`'s loop."""

    def __init__(self, source: str, text: str, header: re.Pattern[str]) -> None:
        self.source, self.text, self.header = source, text, header
        self.lines: list[PhysicalLine] = []
        self.sections: list[RcSection] = []
        self.entries: list[RcEntry] = []
        self.flaws: list[Flaw] = []
        self.seen: dict[tuple[str, str | None], Span] = {}
        self.indent = 0
        self.open = False

    def feed(self, match: re.Match[str]) -> None:
        """Processes the next physical line. A byte order mark is skipped."""
        start = match.start() + (0 if match.start() else _marks(match[0]))
        content = self.text[start : match.end()].rstrip("\r\n")
        kind = self._kind(content, content.strip(), start)
        self.lines.append(PhysicalLine(kind, match.start(), start + len(content), match.end(), len(self.sections) - 1))
        if kind is LineKind.CONTINUATION:
            last = self.entries[-1]
            end = start + len(content.rstrip())
            self.entries[-1] = replace(last, last_line=len(self.lines) - 1, value_span=replace(last.value_span, end=end))

    def _kind(self, content: str, value: str, start: int) -> LineKind:
        """The kind of a line; `value` is `content` stripped. Adds the section, entry or flaw that the line holds."""
        if not value:
            return LineKind.BLANK
        if value[0] in "#;":
            return LineKind.COMMENT
        indent = len(content) - len(content.lstrip())
        if self.open and indent > self.indent:
            return LineKind.CONTINUATION
        self.indent = indent
        header = self.header.match(value)
        if header:
            return self._section(header, value, start + indent)
        return self._option(value, start + indent)

    def _section(self, header: re.Match[str], value: str, at: int) -> LineKind:
        """Adds the section that a header starts, and a flaw if it repeats one; `at` is the header's offset."""
        span = self._span(at, at + header.end())
        first = self.seen.setdefault((header[1], None), span)
        if first is not span and header[1] != DEFAULT_SECTION:
            self.flaws.append(Flaw(FlawKind.DUPLICATE_SECTION, span, first))
        self.sections.append(RcSection(header[1], span, value[header.end() :]))
        self.open = False
        return LineKind.SECTION

    def _option(self, value: str, at: int) -> LineKind:
        """Adds the entry of an option line, or a flaw if the parser would reject the line; `at` is the line's offset."""
        pair = option(value)
        if not pair or not pair[0]:
            self.flaws.append(Flaw(FlawKind.JUNK if self.sections else FlawKind.NO_HEADER, self._span(at, at + len(value))))
            return LineKind.JUNK
        section = self.sections[-1].name if self.sections else ""
        name, text = pair
        span, place = self._span(at, at + len(value)), self._span(at + len(value) - len(text), at + len(value))
        number = len(self.lines)
        entry = RcEntry(section, name, text, span, self._span(at, at + len(name)), place, number, number)
        first = self.seen.setdefault((section, entry.key), span)
        if not self.sections:
            self.flaws.append(Flaw(FlawKind.NO_HEADER, span))
        elif first is not span:
            self.flaws.append(Flaw(FlawKind.DUPLICATE_OPTION, span, first))
        self.entries.append(entry)
        self.open = bool(self.sections)
        return LineKind.OPTION

    def _finished(self, entry: RcEntry) -> RcEntry:
        """The entry with its continuation lines: comments add nothing to the value, a blank line adds an empty line."""
        more = self.lines[entry.first_line + 1 : entry.last_line + 1]
        parts = [self.text[line.start : line.end].strip() for line in more if line.kind is not LineKind.COMMENT]
        span = replace(entry.span, end=entry.value_span.end)
        return replace(entry, value="\n".join([entry.value, *parts]), span=span) if more else entry

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source, self.text, start, end)

    def document(self) -> RcDocument:
        """Returns the RcDocument of all lines; flaws of the encoding come first."""
        places = [Flaw(FlawKind.BOM, self._span(0, _marks(self.text)))] if self.text.startswith(BOM) else []
        places += [Flaw(FlawKind.NOT_UTF8, self._span(*run)) for run in undecodable(self.text)]
        entries = tuple(self._finished(e) for e in self.entries)
        return RcDocument(self.source, self.text, tuple(self.lines), tuple(self.sections), entries, (*places, *self.flaws))


def _marks(text: str) -> int:
    """Number of byte order marks at the beginning of the text."""
    return len(text) - len(text.lstrip(BOM))


MAX_DEPTH = 10
"""Levels of names that refer to names; deeper ones are an error (configparser.MAX_INTERPOLATION_DEPTH)."""
MAX_GROWTH = 1 << 15
"""Maximum number of characters that interpolation may add to one value: ten levels of names, each used fifty times, would be endless."""
BUILT_IN = {"user": "user", "lscratch": "", "tmpdir": "", "temp": "", "tmp": "", "pid": "1"}
"""Names that the libraries define in every section (configparser.py), with placeholder values."""


class InterpolationError(ValueError):
    """Raised if a value cannot be interpolated. The library uses such a value literally."""


class Endless(InterpolationError):
    """Raised if the library would expand the value to a text longer than `MAX_GROWTH`."""


def interpolate(value: str, names: Mapping[str, str]) -> str:
    """Returns `value` with `%%` and `%(name)s` replaced; names are looked up in lower case. Raises `InterpolationError`.

    >>> interpolate("/tmp/%(USER)s/100%%", {"user": "ann"})
    '/tmp/ann/100%'
    """
    return _Text(names).of(value, 1)


class _Text:
    """Expands values; the value of each name is expanded once per depth."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.known: dict[tuple[str, int], str] = {}

    def of(self, value: str, depth: int) -> str:
        """Expands `value`; `depth` counts the levels of names that refer to names."""
        if depth > MAX_DEPTH:
            raise InterpolationError("names refer to names more than ten levels deep")
        pieces: list[str] = []
        grown = at = 0
        while (percent := value.find("%", at)) >= 0:
            pieces.append(value[at:percent])
            name, at = _reference(value, percent)
            piece = "%" if name is None else self.value(name, depth)
            grown += len(piece)
            if grown > MAX_GROWTH:
                raise Endless(f"names in it make it longer than {MAX_GROWTH} characters")
            pieces.append(piece)
        return "".join([*pieces, value[at:]])

    def value(self, name: str, depth: int) -> str:
        """Returns the value of `name` with all names in it expanded. Raises `InterpolationError` if there is no such name."""
        if name not in self.names:
            raise InterpolationError(f"no option called {name!r}")
        text = self.names[name]
        if "%" not in text:
            return text
        if (name, depth) not in self.known:
            self.known[name, depth] = self.of(text, depth + 1)
        return self.known[name, depth]


def _reference(value: str, percent: int) -> tuple[str | None, int]:
    """(name, offset after it) for the `%` at offset `percent`; the name is None for `%%`. Raises `InterpolationError`."""
    if value.startswith("%", percent + 1):
        return None, percent + 2
    end = value.find(")", percent) if value.startswith("(", percent + 1) else -1
    if end <= percent + 2 or not value.startswith("s", end + 1):
        raise InterpolationError(f"'%' must be followed by '%' or '(': {value[percent : percent + 20]!r}")
    return value[percent + 2 : end].lower(), end + 2


def names_in(value: str) -> Iterator[str]:
    """Yields the names that `value` refers to as `%(name)s`, as written."""
    at, end = value.find("%("), -1
    while at >= 0:
        end = end if end > at else value.find(")", at)
        if end < 0:
            return
        if end > at + 2 and value.startswith("s", end + 1):
            yield value[at + 2 : end]
            at = end
        at = value.find("%(", at + 1)


def effective_text(document: RcDocument, entry: RcEntry) -> str:
    """Returns the value of an entry after interpolation, with placeholders for facts of the machine; unchanged if that fails."""
    if "%" not in entry.value:
        return entry.value
    options = document.options
    names = ChainMap(options.get(entry.section, {}), options.get(DEFAULT_SECTION, {}), BUILT_IN)
    try:
        return interpolate(entry.value, names)
    except InterpolationError:
        return entry.value


def used_names(document: RcDocument) -> frozenset[tuple[str, str]]:
    """Returns the options to which values refer as `%(name)s`, as (section, name in lower case)."""
    names = {(e.section, name.lower()) for e in document.entries if "%(" in e.value for name in names_in(e.value)}
    return frozenset(names | {(DEFAULT_SECTION, name) for _, name in names})


# Edits of an rc file's text that leave all other lines unchanged: they are collected and then applied together.


SIGNATURE = "# theanodiag: "
"""Prefix of the comments that say why we changed a line."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Returns `text` with the edits applied; insertions at the same place keep their order. Raises ValueError if two edits overlap."""
    at, pieces = 0, []
    for _, edit in sorted(enumerate(edits), key=lambda pair: (pair[1].start, pair[1].end, pair[0])):
        if edit.start < at or edit.start > edit.end:
            raise ValueError(f"edits overlap at {edit.start}")
        pieces += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*pieces, text[at:]])


def insert(document: RcDocument, at: int, text: str) -> Edit:
    """Returns the edit that inserts `text` before character `at`."""
    return Edit(document.source, at, at, text)


def indent_of(document: RcDocument, line: int) -> str:
    """Returns the indentation of a line."""
    content = document.text[document.lines[line].start : document.lines[line].end]
    return content[: len(content) - len(content.lstrip())]


def comment_line(document: RcDocument, line: int, words: str) -> Edit:
    """Returns the edit that puts a comment above a line, with the line's indentation."""
    comment = " ".join(words.splitlines())
    return insert(document, document.lines[line].start, f"{indent_of(document, line)}{SIGNATURE}{comment}{document.newline}")


def option_line(document: RcDocument, indent: str, option: str, value: str) -> str:
    """Returns the line `option = value`. If the value has further lines, they are indented deeper, so that they continue it."""
    return indent + f"{option} = {value}".replace("\n", f"{document.newline}{indent}    ").rstrip()


def comment_out(document: RcDocument, entry: RcEntry, words: str) -> tuple[Edit, ...]:
    """Returns the edits that turn an entry into comments, below a line that says why."""
    live = (LineKind.OPTION, LineKind.CONTINUATION)
    lines = [n for n in range(entry.first_line, entry.last_line + 1) if document.lines[n].kind in live]
    hashes = [insert(document, document.lines[n].start + len(indent_of(document, n)), "# ") for n in lines]
    return (comment_line(document, entry.first_line, words), *hashes)


def end_of_section(document: RcDocument, number: int) -> tuple[int, str]:
    """Returns (place, indentation) for a new option at the end of section `number`.

    With this indentation neither the new option nor the following lines are continuation lines. The indentation of the last option is
    suitable, because the options of a section are never indented deeper than the previous one.
    """
    own = document.lines_of[number]
    options = [n for n in own if document.lines[n].kind is LineKind.OPTION]
    last = max(n for n in own if document.lines[n].kind in (LineKind.SECTION, LineKind.OPTION, LineKind.CONTINUATION))
    after = document.lines_of[number + 1][0] if number + 1 < len(document.sections) else None
    model = options[-1] if options else after
    return document.lines[last].stop, "" if model is None else indent_of(document, model)


def add_lines(document: RcDocument, at: int, lines: Iterable[str]) -> Edit:
    """Returns the edit that inserts whole lines at `at`, the beginning of a line or the end of the file. If the file has no final newline,
    it has none afterwards.
    """
    text = "".join(line + document.newline for line in lines)
    if at and document.text[at - 1] not in "\r\n":
        text = document.newline + text[: -len(document.newline)]
    return insert(document, at, text)


def add_option(document: RcDocument, section: str, option: str, value: str) -> Edit:
    """Returns the edit that adds an option to its section. If there is no such section, the edit adds it at the end of the file."""
    number = document.section_numbers.get(section)
    if number is not None:
        at, indent = end_of_section(document, number)
        return add_lines(document, at, [option_line(document, indent, option, value)])
    head = [""] if document.text and document.lines[-1].kind is not LineKind.BLANK else []
    return add_lines(document, len(document.text), [*head, f"[{section}]", option_line(document, "", option, value)])


def set_option(document: RcDocument, section: str, option: str, value: str) -> tuple[Edit, ...]:
    """Returns the edits that set `[section] option` to `value`. If the option exists, only its value is replaced, so that the line keeps
    its form.
    """
    entry = document.find(section, option.lower())
    if entry is None:
        return (add_option(document, section, option, value),)
    if entry.first_line != entry.last_line:
        line = option_line(document, indent_of(document, entry.first_line), entry.option, value)
        at = document.lines[entry.last_line].stop
        return (*comment_out(document, entry, f"now {value}"), add_lines(document, at, [line]))
    return (Edit(document.source, entry.value_span.start, entry.value_span.end, value),) if entry.value != value else ()
