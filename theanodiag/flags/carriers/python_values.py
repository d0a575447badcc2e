"""Computes the string expressions of a Python source without running it; parts known only at run time are `UNKNOWN`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from .model import UNKNOWN, Builder, Mapped, joined, unescaped
from .python_names import Parts
from .python_tokens import CLOSED, Token

_PLACE = re.compile(r"%(?:\(\w*\))?[-+ #0]*[\d*]*(?:\.[\d*]+)?[a-zA-Z]|%%")
_FIELD = re.compile(r"\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
LONGEST = 500
"""Maximum number of tokens of an expression that are examined."""
DEEPEST = 12
MOST_TEXTS = 16
"""Maximum number of possible texts of one name that are kept."""
LONGEST_TEXT = 20_000
"""Maximum length of a value; a longer one, such as of names that double each other, is unknown."""


class StringValues:
    """The strings to which the expressions of one source evaluate, computed without running it."""

    def __init__(self, source: Mapped, tokens: Sequence[Token], names: Mapping[str, Parts]) -> None:
        self.source, self.tokens = source, tokens
        self.names = names
        """Name -> the values that statements give it."""
        self.known: dict[str, tuple[Mapped, ...]] = {}
        """Name -> its possible texts, as far as they are computed."""

    def end_of(self, start: int) -> int:
        """Returns the index of the token after the expression that starts at index `start`. Of a very long expression only the beginning is
        examined.
        """
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
        """Returns the possible strings of the expression formed by these tokens: one, or two for `a if c else b`. Only the beginning of a
        very long expression is examined, and nothing of a very deeply nested one. `seen` has the enclosing names and brackets.
        """
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
        parts, at, size = list[tuple[Mapped, ...]](), start, 0
        for cut in (*cuts, end):
            if at < cut:
                first = self.tokens[at]
                named = cut == at + 1 and first.kind == "name" and first.text in self.names and first.text not in seen
                if named:
                    parts.append(self._assigned(first.text, seen))
                elif first.text == "(" and at + 1 < self._close(at, cut) == cut - 1:
                    parts.append(self.texts(at + 1, cut - 1, (*seen, "(")))
                else:
                    parts.append((self._term(at, cut, seen),))
                size += max(len(part.text) for part in parts[-1])
            if size > LONGEST_TEXT:
                return (self._unknown(start, end),)
            at = cut + 1
        return _each(parts)

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
            texts = self._assigned(first.text, seen)
            if len(texts) == 1:
                return self._method(texts[0], start + 1, end)
        return self._unknown(start, end)

    def _close(self, start: int, end: int) -> int:
        """Index of the token that closes the bracket at token `start`; `end` if none before it does."""
        depth = self.tokens[start].depth
        return next((n for n in range(start + 1, end) if self.tokens[n].text in CLOSED and self.tokens[n].depth == depth), end)

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
        for first, last in self.items(at, end):
            if self.tokens[last].text == "=" or self.tokens[first].text == "*":
                break
            values.append(self._only(self.texts(first, last, (*seen, "(")), first, last))
        return tuple(values)

    def items(self, at: int, end: int) -> Iterator[tuple[int, int]]:
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
            return self._join(between, *self.names[name][0][0], (*seen, name)) if self.is_assigned_once(name) else self._unknown(at, end)
        values, lists = list[Mapped](), [at, *(n + 1 for n in self._plus(at, end))]
        if not any(n < end and self.tokens[n].text in ("[", "(") for n in lists):
            return self._unknown(at - 3, end)
        for n in lists:
            if self.tokens[n].text in ("[", "("):
                values += (self._only(self.texts(*item, (*seen, "[")), *item) for item in self.items(n, end))
            else:
                values.append(self._unknown(n, n + 1))
        return joined(values, between.text)

    def _plus(self, at: int, end: int) -> Iterator[int]:
        """Yields each `+` between the parts of the argument that begins at token `at`."""
        for n in range(at, end - 1):
            if self.tokens[n].depth < self.tokens[at].depth:
                return
            if self.tokens[n].text == "+" and self.tokens[n].depth == self.tokens[at].depth:
                yield n

    def is_assigned_once(self, name: str) -> bool:
        """Returns whether a known name has only one value: the source assigns no alternative and adds nothing to it."""
        return name in self.names and len(self.names[name]) == len(self.names[name][0]) == 1

    def _only(self, texts: tuple[Mapped, ...], start: int, end: int) -> Mapped:
        """The only possible text of the tokens from `start` to `end`; `UNKNOWN` where there are several."""
        return texts[0] if len(texts) == 1 else self._unknown(start, end)

    def _unknown(self, start: int, end: int) -> Mapped:
        """One `UNKNOWN` character with the offsets of the tokens from `start` to `end`; an empty text without tokens."""
        builder = Builder()
        if start < end and start < len(self.tokens):
            builder.take(self.source, self.tokens[start].start, self.tokens[min(end, len(self.tokens)) - 1].end, UNKNOWN)
        return builder.mapped()

    def decoded(self, strings: list[Token], form: re.Pattern[str], values: Sequence[Mapped], seen: tuple[str, ...]) -> Mapped:
        """Returns the text of adjacent strings, in which matches of `form` are replaced by the values, or by `UNKNOWN` if there is none."""
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
        return self._only(self._assigned(name, seen), *self.names[name][0][0]) if name in self.names and name not in seen else None

    def _assigned(self, name: str, seen: tuple[str, ...]) -> tuple[Mapped, ...]:
        """The possible texts of a name that has been given values: `x = a` and `x += b` give both, one after the other, for each `a` and
        `b` that there may be."""
        if name not in self.known:
            given = [tuple(t for value in part for t in self.texts(*value, (*seen, name))) for part in self.names[name]]
            self.known[name] = _each(given)
            if sum(len(text.text) for text in self.known[name]) > LONGEST_TEXT:
                self.known[name] = (self._unknown(*self.names[name][0][0]),)
        return self.known[name]


def _each(parts: Sequence[tuple[Mapped, ...]]) -> tuple[Mapped, ...]:
    """The parts one after the other, for each choice of one text of each."""
    if len(parts) == 1:
        return parts[0]
    return tuple(joined(texts) for texts in itertools.islice(itertools.product(*parts), MOST_TEXTS))


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
