"""The lossless text of a flags variable (`THEANO_FLAGS` …): its entries as the libraries take them apart, with the place of each.

The three libraries split it with `shlex.shlex(text, posix=True)`, `whitespace=","` and `whitespace_split=True` (configparser.py,
`parse_config_string`): quotes and backslashes are taken off, and `#` begins a comment up to the end of the line.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import Span


@dataclass(frozen=True)
class FlagsEntry:
    """One `name=value` between commas."""

    key: str
    """Before the first `=`, as the library compares it: quotes off, blanks before it off, blanks after it kept."""
    value: str | None
    """After the `=`, quotes and backslashes off; None without a `=`, which the libraries only warn about."""
    span: Span
    """From the first to the last character, quotes included."""
    key_span: Span
    value_span: Span
    """Empty at the end of the entry where there is no value."""


@dataclass(frozen=True)
class FlagsText:
    """A whole flags variable."""

    source: str
    """Name of the variable."""
    text: str
    entries: tuple[FlagsEntry, ...]
    open_quote: Span | None = None
    """The quote or backslash with which the libraries refuse to start: it has no end."""
    comments: tuple[Span, ...] = ()
    """What a `#` takes out of the text."""
    backslashes: tuple[Span, ...] = ()
    """Backslashes that the splitting takes off, as it does with those of a Windows path."""


@dataclass
class _Scan:
    """The state of the splitting: `chars` are those of the present token, with their places."""

    source: str
    text: str
    at: int = 0
    chars: list[tuple[str, int]] = field(default_factory=list)
    first: int | None = None
    entries: list[FlagsEntry] = field(default_factory=list)
    comments: list[Span] = field(default_factory=list)
    backslashes: list[Span] = field(default_factory=list)
    open_quote: Span | None = None

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, self.text, start, end)

    def take(self, char: str, place: int) -> None:
        self.chars.append((char, place))

    def begin(self) -> None:
        if self.first is None:
            self.first = self.at

    def finish(self) -> None:
        """The token ends before `at`."""
        if self.first is not None and self.open_quote is None:
            entry = _entry(self, self.first, self.at)
            if entry:
                self.entries.append(entry)
        self.first, self.chars = None, []


def parse_flags(text: str, source: str = "THEANO_FLAGS") -> FlagsText:
    """Takes a flags variable apart."""
    scan = _Scan(source, text)
    while scan.at < len(text) and scan.open_quote is None:
        _step(scan, text[scan.at])
    scan.finish()
    return FlagsText(source, text, tuple(scan.entries), scan.open_quote, tuple(scan.comments), tuple(scan.backslashes))


def split_flags(text: str, source: str = "THEANO_FLAGS") -> FlagsText:
    """Takes a flags variable apart as Theano 0.6 does, which knows neither quotes nor comments."""
    scan = _Scan(source, text)
    for word in text.split(","):
        scan.first, scan.chars = scan.at, list(zip(word, range(scan.at, len(text))))
        scan.at += len(word)
        scan.finish()
        scan.at += 1
    return FlagsText(source, text, tuple(scan.entries))


def _step(scan: _Scan, char: str) -> None:
    if char == ",":
        scan.finish()
    elif char == "#":
        _comment(scan)
    elif char in "'\"":
        _quoted(scan, char)
    elif char == "\\":
        scan.begin()
        _escaped(scan, None)
    else:
        scan.begin()
        scan.take(char, scan.at)
    scan.at += 1


def _comment(scan: _Scan) -> None:
    start = scan.at
    scan.finish()
    end = scan.text.find("\n", start)
    scan.at = (len(scan.text) if end < 0 else end + 1) - 1
    scan.comments.append(scan.span(start, scan.at + 1))


def _quoted(scan: _Scan, quote: str) -> None:
    scan.begin()
    start = scan.at
    scan.at += 1
    while scan.at < len(scan.text) and scan.text[scan.at] != quote:
        if scan.text[scan.at] == "\\" and quote == '"':
            _escaped(scan, quote)
        else:
            scan.take(scan.text[scan.at], scan.at)
        scan.at += 1
    if scan.at >= len(scan.text) and scan.open_quote is None:
        scan.open_quote = scan.span(start, start + 1)


def _escaped(scan: _Scan, quote: str | None) -> None:
    """Takes a backslash and the character after it; inside double quotes only `"` and a backslash lose theirs."""
    start = scan.at
    scan.at += 1
    if scan.at >= len(scan.text):
        scan.open_quote = scan.span(start, start + 1)
        return
    if quote and scan.text[scan.at] not in (quote, "\\"):
        scan.take("\\", start)
    else:
        scan.backslashes.append(scan.span(start, start + 1))
    scan.take(scan.text[scan.at], scan.at)


def _entry(scan: _Scan, first: int, end: int) -> FlagsEntry | None:
    """The entry of the characters collected between two commas; None for one of blanks only."""
    token = "".join(c for c, _ in scan.chars)
    skip = len(token) - len(token.lstrip())
    chars = scan.chars[skip : len(token.rstrip())]
    if not chars:
        return None
    first += len(scan.text[first:end]) - len(scan.text[first:end].lstrip())
    end = first + len(scan.text[first:end].rstrip())
    cut = next((i for i, (c, _) in enumerate(chars) if c == "="), None)
    key, whole = "".join(c for c, _ in chars[:cut]), scan.span(first, end)
    if cut is None:
        return FlagsEntry(key, None, whole, whole, scan.span(end, end))
    equals = chars[cut][1]
    return FlagsEntry(key, "".join(c for c, _ in chars[cut + 1 :]), whole, scan.span(first, equals), scan.span(equals + 1, end))


def quote_value(value: str) -> str:
    """`value` so that the splitting gives it back: quoted only where it has to be.

    >>> quote_value("-lopenblas"), quote_value("a,b"), quote_value("it's")
    ('-lopenblas', "'a,b'", '"it\\'s"')
    """
    if not set(value) & set(",#'\"\\") and value == value.strip():
        return value
    if "'" in value and not set(value) & set('"\\'):
        return f'"{value}"'
    return "'" + value.replace("'", "'\"'\"'") + "'"
