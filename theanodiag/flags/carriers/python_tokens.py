"""Splits Python source of any version into tokens, and computes its string expressions; parts known only at run time are `UNKNOWN`.

The standard `tokenize` stops at syntax of Python 2 and at commands in notebook cells, so this module has its own lexer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .model import UNKNOWN, Builder, Mapped, joined, unescaped

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
_OPEN, _CLOSED = "([{", ")]}"
_PLACE = re.compile(r"%(?:\(\w*\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?[a-zA-Z]|%%")
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")


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
    """The tokens without blanks and comments, and without line ends inside brackets."""
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
        if text in _CLOSED:
            depth = max(0, depth - 1)
        yield Token(kind, text, match.start(), at, depth=depth)
        if text in _OPEN:
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


LONGEST = 500
"""Maximum number of tokens of an expression that are examined."""
DEEPEST = 12


class Values:
    """The strings to which the expressions of one source evaluate, computed without running it."""

    def __init__(self, source: Mapped, tokens: Sequence[Token], names: Mapping[str, tuple[int, int]]) -> None:
        self.source, self.tokens = source, tokens
        self.names = names
        """Name that is assigned exactly once -> (first token, token after the last) of its value."""

    def end_of(self, start: int) -> int:
        """Index of the token after the expression that starts at index `start`; for a very long expression only its beginning is
        examined."""
        if start >= len(self.tokens):
            return start
        depth, at = self.tokens[start].depth, start
        while at < min(len(self.tokens), start + LONGEST):
            token = self.tokens[at]
            ends = token.kind == "newline" or token.text in (",", ";", ":", "=", "+=")
            if token.depth < depth or (token.depth == depth and ends):
                return at
            at += 1
        return at

    def texts(self, start: int, end: int, seen: tuple[str, ...] = ()) -> tuple[Mapped, ...]:
        """The possible strings of the expression formed by these tokens: one, or two for `a if c else b`. Only the beginning of a very
        long expression is examined, and none of a very deeply nested one; `seen` are the enclosing names and brackets."""
        end = min(end, start + LONGEST)
        if len(seen) > DEEPEST:
            return (self._unknown(start, end),)
        depth = self.tokens[start].depth if start < end else 0
        if start < end and self.tokens[start].text == "(" and start + 1 < self._close(start, end) == end - 1:
            return self.texts(start + 1, end - 1, (*seen, "("))
        own = [n for n in range(start, end) if self.tokens[n].depth == depth]
        condition = next((n for n in own if self.tokens[n].text == "if"), None)
        other = next((n for n in own if self.tokens[n].text == "else"), None)
        if condition is not None and other is not None and start < condition < other:
            return (*self.texts(start, condition, (*seen, "if")), *self.texts(other + 1, end, (*seen, "if")))
        cuts = [n for n in own if self.tokens[n].text == "+"]
        parts, at = list[Mapped](), start
        for cut in (*cuts, end):
            if at < cut:
                parts.append(self._term(at, cut, seen))
            at = cut + 1
        return (joined(parts),)

    def _term(self, start: int, end: int, seen: tuple[str, ...]) -> Mapped:
        """The text of one operand of `+`: adjacent strings, a number, a known name, a call of a string method, or an expression in
        brackets; `UNKNOWN` for anything else.
        """
        first, at = self.tokens[start], start
        if first.kind == "number" and end == start + 1:
            return self.source.part(first.start, first.end)
        if first.kind == "string":
            parts = []
            while at < end and self.tokens[at].kind == "string":
                parts.append(self.tokens[at])
                at += 1
            return self._after(parts, at, end, seen)
        if first.text == "(":
            close = self._close(start, end)
            inside = self.texts(start + 1, close, (*seen, "(")) if close > start + 1 else ()
            if len(inside) == 1 and (close + 1 >= end or self.tokens[close + 1].text in (".", "%")):
                return self._method(inside[0], close + 1, end)
        if (
            first.kind == "name"
            and first.text in self.names
            and first.text not in seen
            and (end == start + 1 or self.tokens[start + 1].text == ".")
        ):
            value = self.names[first.text]
            texts = self.texts(*value, (*seen, first.text))
            if len(texts) == 1:
                return self._method(texts[0], start + 1, end)
        return self._unknown(start, end)

    def _close(self, start: int, end: int) -> int:
        """Index of the token that closes the bracket at token `start`; `end` if none before it does."""
        depth = self.tokens[start].depth
        return next((n for n in range(start + 1, end) if self.tokens[n].text in _CLOSED and self.tokens[n].depth == depth), end)

    def _after(self, strings: list[Token], at: int, end: int, seen: tuple[str, ...]) -> Mapped:
        """The text of adjacent strings, after the `%`, `.format` or `.join` that follows at token `at`."""
        follows = self.tokens[at].text if at < end else ""
        method = self.tokens[at + 1].text if follows == "." and at + 1 < end else ""
        if method == "join" and at + 2 < end:
            return self._join(self.decoded(strings, _AS_IT_IS, (), seen), at + 3, end, seen)
        if follows == "%":
            return self.decoded(strings, _PLACE, self._arguments(at + 1, end, seen), seen)
        if method == "format":
            return self.decoded(strings, _FIELD, self._arguments(at + 2, end, seen), seen)
        return self._method(self.decoded(strings, _AS_IT_IS, (), seen), at, end)

    def _arguments(self, at: int, end: int, seen: tuple[str, ...]) -> tuple[Mapped, ...]:
        """The texts that are formatted into a string: the positional items in brackets at token `at`, or one value without brackets."""
        if at >= end or self.tokens[at].text != "(":
            return (self._term(at, end, seen),) if at < end else ()
        values = list[Mapped]()
        for first, last in self._items(at, end):
            if self.tokens[last].text == "=" or self.tokens[first].text == "*":
                break
            values.append(self.texts(first, last, (*seen, "("))[0])
        return tuple(values)

    def _items(self, at: int, end: int) -> Iterator[tuple[int, int]]:
        """Yields (first token, token after the last) of each item in the brackets that open at token `at`."""
        close, item = self._close(at, end), at + 1
        while item < close:
            last = self.end_of(item)
            if last > item:
                yield item, min(last, close)
            item = max(last, item) + 1

    def _method(self, text: Mapped, at: int, end: int) -> Mapped:
        """The value of a method call or `%` on `text`: `text` itself for `.strip(",")` and the like, UNKNOWN for unknown methods."""
        if at >= end:
            return text
        method = self.tokens[at + 1].text if self.tokens[at].text == "." and at + 1 < end else ""
        if method in ("strip", "lstrip", "rstrip", "encode", "decode"):
            return text
        form = _PLACE if self.tokens[at].text == "%" else _FIELD if method == "format" else None
        return _filled(text, form) if form else self._unknown(at, end)

    def _join(self, between: Mapped, at: int, end: int, seen: tuple[str, ...]) -> Mapped:
        """The text of `between.join(...)` for a list or tuple, or a name of one, at token `at`; `UNKNOWN` for other arguments."""
        if at < end and self.tokens[at].text in self.names and self.tokens[at].text not in seen:
            name = self.tokens[at].text
            return self._join(between, *self.names[name], (*seen, name))
        if at >= end or self.tokens[at].text not in ("[", "("):
            return self._unknown(at - 3, end)
        return joined([self.texts(first, last, (*seen, "["))[0] for first, last in self._items(at, end)], between.text)

    def _unknown(self, start: int, end: int) -> Mapped:
        """One `UNKNOWN` character with the offsets of the tokens from `start` to `end`; an empty text without tokens."""
        builder = Builder()
        if start < end and start < len(self.tokens):
            builder.take(self.source, self.tokens[start].start, self.tokens[min(end, len(self.tokens)) - 1].end, UNKNOWN)
        return builder.mapped()

    def decoded(self, strings: list[Token], form: re.Pattern[str], values: Sequence[Mapped], seen: tuple[str, ...]) -> Mapped:
        """The text of adjacent strings; matches of `form` are replaced by the values, or by `UNKNOWN` if there is none."""
        parts = []
        for token in strings:
            text = self.source.part(*token.body)
            text = text if "r" in token.prefix else unescaped(text)
            if "f" in token.prefix:
                parts.append(_filled(text, _FIELD, lambda _, field: self._named(field[1:-1].strip(), seen)))
            else:
                parts.append(_filled(text, form, lambda number, field: _value(values, number, field)))
        return joined(parts)

    def _named(self, name: str, seen: tuple[str, ...]) -> Mapped | None:
        """The text assigned to `name` in the source; None if there is none, or if it depends on itself."""
        return self.texts(*self.names[name], (*seen, name))[0] if name in self.names and name not in seen else None


_AS_IT_IS = re.compile(r"(?!)")


def _value(values: Sequence[Mapped], number: int, field: str) -> Mapped | None:
    """The value of an unnamed field (`%s`, `{}`, `{1}`); None for other fields, and if there are too few values."""
    place = re.fullmatch(r"\{(\d{0,3})\}", field)
    if place is not None and place[1]:
        number = int(place[1])
    elif place is None and not re.fullmatch(r"%[sdi]", field):
        return None
    return values[number] if number < len(values) else None


def _filled(text: Mapped, form: re.Pattern[str], value: Callable[[int, str], Mapped | None] = lambda number, field: None) -> Mapped:
    """`text` with each match of `form` replaced by `value(field number, field text)`, or by `UNKNOWN` if that is None."""
    builder, at, number = Builder(), 0, 0
    for match in form.finditer(text.text):
        builder.extend(text.part(at, match.start()))
        if match[0] in ("%%", "{{", "}}"):
            builder.take(text, match.start(), match.end(), match[0][0])
        elif (known := value(number, match[0])) is not None:
            builder.extend(known)
            number += 1
        else:
            builder.take(text, match.start(), match.end(), UNKNOWN)
            number += 1
        at = match.end()
    builder.extend(text.part(at))
    return builder.mapped()
