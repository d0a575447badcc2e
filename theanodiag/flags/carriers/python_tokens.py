"""Splits Python source of any version into tokens.

The standard `tokenize` stops at syntax of Python 2 and at commands in notebook cells, so this module has its own lexer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<comment>\#[^\n]*)
    |(?P<string>(?P<prefix>[rRbBuUfF]{0,3})(?P<quote>\"\"\"|'''|"|'))
    |(?P<name>[^\W\d]\w*)
    |(?P<number>\d[\w.]*)
    |(?P<joint>\\\r?\n)
    |(?P<newline>\r?\n)
    |(?P<blank>[ \t\f\r]+)
    |(?P<op>==|!=|<=|>=|\+=|%=|\|=|//|\*\*|->|:=|.)""",
    re.X | re.S,
)
OPEN, CLOSED = "([{", ")]}"


@dataclass(frozen=True, eq=False)
class Token:
    """One token of a Python source; `start` and `end` are its offsets."""

    kind: str
    """One of comment, string, name, number, newline or op."""
    text: str
    start: int
    end: int
    prefix: str = ""
    body: tuple[int, int] = (0, 0)
    """For a string: the range between the quotes."""
    depth: int = 0
    """Number of brackets open before it."""


def tokens(source: str) -> list[Token]:
    """Returns the tokens without blanks and comments, and without line ends inside brackets."""
    return list(_tokens(source))


def _tokens(source: str) -> Iterator[Token]:
    at = depth = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        assert match is not None
        kind = match.lastgroup or "op"
        if match["string"] is not None:
            token = _string(source, match, depth)
            yield token
            at = token.end
            continue
        at, text = match.end(), match[0]
        if kind in ("comment", "joint", "blank") or (kind == "newline" and depth):
            continue
        if text in CLOSED:
            depth = max(0, depth - 1)
        yield Token(kind, text, match.start(), at, depth=depth)
        if text in OPEN:
            depth += 1


def _string(source: str, match: re.Match[str], depth: int) -> Token:
    quote, at = match["quote"], match.end()
    end = _end_of_string(source, quote, at)
    text = source[match.start() : end]
    return Token("string", text, match.start(), end, match["prefix"].lower(), (at, end - len(quote)), depth)


def _end_of_string(source: str, quote: str, at: int) -> int:
    """The offset after the closing quote. Without one: after the line end for a one-line string, else the end of the source plus the
    quote's length.
    """
    while at < len(source):
        if source[at] == "\\":
            at += 2
        elif source.startswith(quote, at):
            return at + len(quote)
        elif source[at] == "\n" and len(quote) == 1:
            return at + 1
        else:
            at += 1
    return len(source) + len(quote)
