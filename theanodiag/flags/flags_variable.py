"""The lossless text of a flags variable (`THEANO_FLAGS` …): its entries as the libraries split it, each with its place.

The three libraries split it with `shlex.shlex(text, posix=True)`, `whitespace=","` and `whitespace_split=True` (configparser.py,
`parse_config_string`): quotes and backslashes are removed, and `#` starts a comment up to the end of the line.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from ..errors import Span


@dataclass(frozen=True)
class FlagsEntry:
    """One `name=value` between commas."""

    key: str
    """The text before the first `=` without quotes and leading blanks; blanks behind it are kept, as in the library."""
    value: str | None
    """The text behind the `=` without quotes and backslashes; None without `=`, which the libraries ignore with a warning."""
    span: Span
    """From the first to the last character, quotes included."""
    key_span: Span
    value_span: Span
    """Empty and at the end of the entry where there is no value."""

    @property
    def whole(self) -> str:
        """Returns the entry as it is written, including its quotes."""
        return self.span.text[self.span.start : self.span.end]


@dataclass(frozen=True)
class FlagsText:
    """A whole flags variable."""

    source: str
    """Name of the variable."""
    text: str
    entries: tuple[FlagsEntry, ...]
    open_quote: Span | None = None
    """The unclosed quote or trailing backslash for which the libraries refuse to start; None where there is none."""
    comments: tuple[Span, ...] = ()
    """The parts that a `#` turns into comments."""
    backslashes: tuple[Span, ...] = ()
    """The backslashes that the splitting removes, such as those of a Windows path."""


@dataclass(frozen=True)
class FlagsVariable:
    """The environment variable from which a framework took flags when it was imported."""

    name: str = "THEANO_FLAGS"
    text: str | None = None
    """Its text; empty if it was not set, None if that is unknown."""
    by_script: bool = False
    """Whether the script itself set it, so that its value in the shell has no effect."""

    def line(self, *flags: str) -> str:
        """Returns the line that sets `flags` (each as `name=value,…`, later ones take precedence) and keeps the flags that are set already.

        A shell's assignment; an assignment to `os.environ` if the script sets the variable. Flags that are lists, such as
        `optimizer_excluding`, are joined.

        >>> FlagsVariable(text="floatX=float32,allow_gc=False").line("allow_gc=True")
        'THEANO_FLAGS=floatX=float32,allow_gc=True'
        >>> FlagsVariable(text=None).line("allow_gc=True")
        'THEANO_FLAGS="$THEANO_FLAGS,allow_gc=True"'
        """
        added = merged("", *flags)
        if self.text is None:
            return f'{self.name}="${self.name},{added}"'
        if self.by_script:
            return f"os.environ[{self.name!r}] = {merged(self.text, added)!r}  # in place of the script's own"
        return f"{self.name}={shlex.quote(merged(self.text, added))}"


LISTS = ("optimizer_excluding", "optimizer_including", "optimizer_requiring")
"""Flags whose values are names joined by colons."""


def merged(text: str, *more: str) -> str:
    """Merges the flags of `more` into the text of a flags variable. Each flag replaces an earlier one of the same name, or extends it if
    the flag is a list.

    Comments and entries that the libraries ignore are left out.
    """
    entries: dict[str, str] = {}
    for entry in (e for part in (text, *more) for e in parse_flags(part).entries):
        key, value = entry.key.strip(), entry.value
        if value is None:
            continue
        if key in LISTS and entries.get(key):
            value = ":".join(dict.fromkeys(n for n in f"{entries[key]}:{value}".split(":") if n))
        entries.pop(key, None)
        entries[key] = value
    return ",".join(f"{key}={quote_value(value)}" for key, value in entries.items())


@dataclass
class _VariableText:
    """The state of splitting a flags variable; `chars` are the characters of the current entry, each with its index in `text`."""

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
        """Returns the Span from index `start` to `end`."""
        return Span(self.source, self.text, start, end)

    def take(self, char: str, place: int) -> None:
        """Adds a character of the entry; `place` is its index in `text`."""
        self.chars.append((char, place))

    def begin(self) -> None:
        """Marks `at` as the start of an entry, unless one has started."""
        if self.first is None:
            self.first = self.at

    def finish(self) -> None:
        """Ends the entry before `at` and adds it to `entries`."""
        if self.first is not None and self.open_quote is None:
            entry = _entry(self, self.first, self.at)
            if entry:
                self.entries.append(entry)
        self.first, self.chars = None, []


def parse_flags(text: str, source: str = "THEANO_FLAGS") -> FlagsText:
    """Returns the entries of a flags variable, split as the libraries split it."""
    scan = _VariableText(source, text)
    while scan.at < len(text) and scan.open_quote is None:
        _step(scan, text[scan.at])
    scan.finish()
    return FlagsText(source, text, tuple(scan.entries), scan.open_quote, tuple(scan.comments), tuple(scan.backslashes))


def split_flags(text: str, source: str = "THEANO_FLAGS") -> FlagsText:
    """Splits a flags variable as Theano 0.6 does, which knows neither quotes nor comments."""
    scan = _VariableText(source, text)
    for word in text.split(","):
        scan.first, scan.chars = scan.at, list(zip(word, range(scan.at, len(text))))
        scan.at += len(word)
        scan.finish()
        scan.at += 1
    return FlagsText(source, text, tuple(scan.entries))


def _step(scan: _VariableText, char: str) -> None:
    """Processes the next character, with the rest of a comment, quotation or escape that it starts."""
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


def _comment(scan: _VariableText) -> None:
    start = scan.at
    scan.finish()
    end = scan.text.find("\n", start)
    scan.at = (len(scan.text) if end < 0 else end + 1) - 1
    scan.comments.append(scan.span(start, scan.at + 1))


def _quoted(scan: _VariableText, quote: str) -> None:
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


def _escaped(scan: _VariableText, quote: str | None) -> None:
    r"""Takes a backslash and the next character; inside double quotes only `"` and `\` can be escaped."""
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


def _entry(scan: _VariableText, first: int, end: int) -> FlagsEntry | None:
    """The entry of the characters collected between two commas; None if they are all blanks."""
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
    """Returns `value` in a form that the libraries split back into `value`; it is quoted only if necessary.

    >>> quote_value("-lopenblas"), quote_value("a,b"), quote_value("it's")
    ('-lopenblas', "'a,b'", '"it\\'s"')
    """
    if not set(value) & set(",#'\"\\") and value == value.strip():
        return value
    if "'" in value and not set(value) & set('"\\'):
        return f'"{value}"'
    return "'" + value.replace("'", "'\"'\"'") + "'"
