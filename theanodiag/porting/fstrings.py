"""f-strings: where they end, as Python 3.12 reads them, and the expressions in them.

Up to Python 3.11 no quote of its own kind, no backslash and no comment may stand in such an expression, so that each f-string of theirs
ends in the same place by the newer rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MAY_BE = re.compile(r"""(?i)(?<![\w'"])(?:[ft]r?|r[ft])['"]""")
"""What a source with f-strings has."""
_START = re.compile(r"""#[^\n]*|(?P<prefix>(?<!\w)[A-Za-z]{1,2})?(?P<quote>\'\'\'|\"\"\"|'|")""")
_PLAIN = {quote: re.compile(rf"(?:\\.|(?!{quote}).)*{quote}", re.S) for quote in ("'", '"', "'''", '"""')}
_NAMED = re.compile(r"\\N\{[^}]*\}")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class FString:
    """One f-string; offsets are into the text of the source."""

    start: int
    end: int
    """Behind its last quote."""
    quote: str
    fields: tuple[tuple[int, int], ...]
    """Begin and end of each expression, those in format specifications too."""

    def masked(self, text: str) -> str:
        """It as a string of the same length and lines, in which nothing but its quotes ends it."""
        begin = text.index(self.quote, self.start) + len(self.quote)
        inside = text[begin : self.end - len(self.quote)]
        if len(self.quote) == 1:
            inside = re.sub(r"[^\n](\n)|[^\n]", lambda m: "\\\n" if m[1] else "x", inside)
        else:
            inside = re.sub(r"[^\n]", "x", inside)
        return f"f{self.quote.rjust(begin - self.start - 1, 'r')}{inside}{self.quote}"


class _UnclosedError(ValueError):
    """A string that does not end."""


def found(text: str) -> tuple[FString, ...]:
    """The f-strings of a source, those in others left out; none where a string does not end."""
    strings: list[FString] = []
    if MAY_BE.search(text) is None:
        return ()
    at = 0
    try:
        while (start := _START.search(text, at)) is not None:
            quote = start["quote"]
            if quote is None:
                at = start.end()
            elif set((start["prefix"] or "").lower()) & {"f", "t"}:
                fields: list[tuple[int, int]] = []
                at = _literal(text, start.end(), quote, fields, raw="r" in start["prefix"].lower())
                strings.append(FString(start.start(), at, quote, tuple(fields)))
            else:
                at = _plain(text, start.end(), quote)
    except (_UnclosedError, RecursionError):
        return ()
    return tuple(strings)


def masked(text: str, strings: Sequence[FString]) -> str:
    """The source with its f-strings masked."""
    parts, at = [], 0
    for one in strings:
        parts += [text[at : one.start], one.masked(text)]
        at = one.end
    return "".join([*parts, text[at:]])


def _plain(text: str, at: int, quote: str) -> int:
    """Behind the end of a string that is no f-string."""
    end = _PLAIN[quote].match(text, at)
    if end is None or (len(quote) == 1 and re.search(r"(?<!\\)(?:\\\\)*\n", end[0])):
        raise _UnclosedError
    return end.end()


def _literal(text: str, at: int, quote: str, fields: list[tuple[int, int]], *, raw: bool, spec: bool = False) -> int:
    """Behind the end of an f-string, or of the format specification of one of its fields, from `at` on."""
    while at < len(text):
        if text.startswith(quote, at):
            if spec:
                raise _UnclosedError
            return at + len(quote)
        c = text[at]
        if c == "\\":
            name = None if raw else _NAMED.match(text, at)
            at = name.end() if name else at + (1 if text[at + 1 : at + 2] in "{}" else 2)
        elif c == "{":
            if not spec and text.startswith("{{", at):
                at += 2
            else:
                at = _field(text, at + 1, quote, fields, raw=raw)
        elif c == "}" and spec:
            return at
        elif c == "\n" and len(quote) == 1:
            raise _UnclosedError
        else:
            at += 1
    raise _UnclosedError


def _field(text: str, at: int, quote: str, fields: list[tuple[int, int]], *, raw: bool) -> int:
    """Behind the `}` of a replacement field whose expression begins at `at`."""
    begin, depth = at, 0
    while at < len(text):
        c = text[at]
        start = _START.match(text, at) if c in "#'\"" or c.isalpha() else None
        if start is not None and start.end() > at:
            at = _nested(text, start)
        elif c in _OPENING:
            depth, at = depth + 1, at + 1
        elif c in _CLOSING and depth:
            depth, at = depth - 1, at + 1
        elif depth == 0 and (c in "}:" or (c == "!" and text[at + 1 : at + 2] != "=")):
            break
        elif c.isalnum() or c == "_":
            at = re.compile(r"\w+").match(text, at).end()  # type: ignore[union-attr]
        else:
            at += 1
    expression = text[begin:at].rstrip()
    if expression.endswith("=") and expression[-2:-1] not in ("=", "!", "<", ">"):
        expression = expression[:-1]
    fields.append((begin, begin + len(expression)))
    if text.startswith("!", at):
        at = re.compile(r"!\s*\w*\s*").match(text, at).end()  # type: ignore[union-attr]
    if text.startswith(":", at):
        at = _literal(text, at + 1, quote, fields, raw=raw, spec=True)
    if not text.startswith("}", at):
        raise _UnclosedError
    return at + 1


def _nested(text: str, start: re.Match[str]) -> int:
    """The position after a comment or a string inside an expression; fields of such a string are found when the expression is parsed."""
    if start["quote"] is None:
        return start.end()
    if set((start["prefix"] or "").lower()) & {"f", "t"}:
        return _literal(text, start.end(), start["quote"], [], raw="r" in start["prefix"].lower())
    return _plain(text, start.end(), start["quote"])
