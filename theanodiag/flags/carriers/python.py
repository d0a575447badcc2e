"""Flags that a Python source sets: in `os.environ`, in the environment of a process, in commands, in rc files that it writes."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..model import Dialect
from .model import UNKNOWN, Builder, Carried, Mapped, Reading, Room, joined, unescaped
from .shell import MENTIONS, Other
from .shell import read as read_shell

# Splits Python source of any version into tokens, and computes its string expressions; parts known only at run time are `UNKNOWN`.
#
# The standard `tokenize` stops at syntax of Python 2 and at commands in notebook cells, so this module has its own lexer.

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


Ranges = tuple[tuple[int, int], ...]
"""(First token, token after the last) of each value."""
LONGEST = 500
"""Maximum number of tokens of an expression that are examined."""
DEEPEST = 12
LONGEST_TEXT = 20_000
"""Maximum length of a value; a longer one, such as of names that double each other, is unknown."""


class StringValues:
    """The strings to which the expressions of one source evaluate, computed without running it."""

    def __init__(self, source: Mapped, tokens: Sequence[Token], names: Mapping[str, Ranges]) -> None:
        self.source, self.tokens = source, tokens
        self.names = names
        """Name -> the values that one statement, or several in one block, give it."""
        self.known: dict[str, tuple[Mapped, ...]] = {}
        """Name -> its possible texts, as far as they are computed."""

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
        parts, at, size = list[Mapped](), start, 0
        for cut in (*cuts, end):
            if at < cut:
                parts.append(self._term(at, cut, seen))
                size += len(parts[-1].text)
            if size > LONGEST_TEXT:
                return (self._unknown(start, end),)
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
            texts = self._assigned(first.text, seen)
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
            return self._join(between, *self.names[name][0], (*seen, name)) if len(self.names[name]) == 1 else self._unknown(at, end)
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
        return self._assigned(name, seen)[0] if name in self.names and name not in seen else None

    def _assigned(self, name: str, seen: tuple[str, ...]) -> tuple[Mapped, ...]:
        """The possible texts of a name that has been given values: `x = a` and `x += b` give both, one after the other."""
        if name not in self.known:
            first, *added = (self.texts(*value, (*seen, name)) for value in self.names[name])
            self.known[name] = (joined(texts[0] for texts in (first, *added)),) if added else first
            if sum(len(text.text) for text in self.known[name]) > LONGEST_TEXT:
                self.known[name] = (self._unknown(*self.names[name][0]),)
        return self.known[name]


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


_NAME = re.compile(r"(THEANO|AESARA|PYTENSOR)_FLAGS")
_COMMAND = re.compile(r"(?<!\w)(?:THEANO|AESARA|PYTENSOR)_FLAGS[= ]")
_RC = re.compile(r"^\s*\[(?:global|nvcc|blas|lib|gpuarray|dnn|cuda|gcc)\]\s*$", re.M)
_READS = {"get", "getenv", "pop", "has_key", "append", "remove", "index", "startswith", "print", "join", "getvalue"}
_TELLS = re.compile(
    r"print|warn|info|debug|error|exception|critical|fail|skip|help|log|s?echo|exit|abort|usage|add_argument|add_option|"
    r"\w*(?:Error|Exception|Warning|Exit)"
)
"""Names of functions and exceptions whose strings are messages to the user."""
_MAGICS = ("magic", "run_line_magic")
_FAR = 400
"""Maximum number of tokens searched for the call that a string is in, or for the arguments of a call."""
_MOST_ADDED = 20
"""Maximum number of statements that give one name its value."""


def read(source: Mapped, other: Other, *, depth: int = 0) -> Reading:
    """The flags values that a Python source sets, and the flags that it assigns through `theano.config`."""
    if not MENTIONS.search(source.text):
        return Reading()
    reader = _FlagSearch(source, other, depth)
    return Reading(tuple(reader.carried()), frozenset(reader.configured()))


def _dedented(text: Mapped) -> Mapped:
    """A text without the indentation common to its lines."""
    lines = text.text.splitlines(keepends=True)
    blanks = [len(line) - len(line.lstrip(" \t")) for line in lines]
    margin = min((width for line, width in zip(lines, blanks) if line.strip()), default=0)
    starts = itertools.accumulate(map(len, lines), initial=0)
    return joined(text.part(at + min(margin, width), at + len(line)) for at, line, width in zip(starts, lines, blanks))


class _FlagSearch:
    """Searches the tokens of one source for flags."""

    def __init__(self, source: Mapped, other: Other, depth: int) -> None:
        self.source, self.other, self.depth = source, other, depth
        self.tokens = tokens(source.text)
        self.values = StringValues(source, self.tokens, {})
        self.values.names = dict(self._names())
        self.done = 0
        """Index of the token after the last shell command that was read."""
        self.rc = next((dialect for dialect in Dialect if f"{dialect.value}rc" in source.text), None)
        """The library whose rc file the source mentions; None if it mentions none."""

    def _names(self) -> Iterator[tuple[str, Ranges]]:
        """Yields each name whose value is known, with the tokens of its values, of which one has a string or number.

        It is assigned once, or added to (`x += ...`) in the same block before it is used; of `x = x + ...` the second value counts.
        """
        places: dict[str, list[int]] = {}
        before: dict[str, int] = {}
        mentions = Counter[str]()
        for n, token in enumerate(self.tokens[:-1]):
            if token.kind == "name" or "f" in token.prefix:
                mentions.update(re.findall(r"\w+", token.text))
            if token.kind != "name" or token.depth:
                continue
            if self.tokens[n + 1].text in ("=", "+=") or (self.tokens[n + 1].text == ":" and self._text(n + 3) == "="):
                places.setdefault(token.text, []).append(n)
                before[token.text] = mentions[token.text] - 1
        for name, at in places.items():
            if len(at) > 1 and (len(at) > _MOST_ADDED or before[name] != len(at) - 1 or not self._in_one_block(at)):
                continue
            starts = [n + (4 if self._text(n + 1) == ":" else 2) for n in at]
            values = tuple((start, self.values.end_of(start)) for start in starts)
            if any(self._text(n + 1) != "+=" for n in at[1:]):
                values = values[1:] if len(at) == 2 and any(t.text == name for t in self.tokens[slice(*values[1])]) else ()
            if self._text(at[0] + 1) != "+=" and any(t.kind in ("string", "number") for v in values for t in self.tokens[slice(*v)]):
                yield name, values

    def _in_one_block(self, at: Sequence[int]) -> bool:
        """Whether statements that begin with these tokens follow each other in one block."""
        first, last, depth = at[0], at[-1], self._indentation(at[0])
        if depth < 0 or last - first > _FAR or any(self._indentation(n) != depth for n in at):
            return False
        return not any(0 <= self._indentation(n) < depth for n in range(first + 1, last) if self.tokens[n].kind != "newline")

    def _indentation(self, n: int) -> int:
        """Number of blanks before token `n`, the first of its line; -1 if it is not the first."""
        if n and self.tokens[n - 1].kind != "newline":
            return -1
        start = self.tokens[n].start
        return start - self.source.text.rfind("\n", 0, start) - 1

    def configured(self) -> Iterator[str]:
        """Yields the dotted names of flags assigned as attributes of `config` or passed to `change_flags`."""
        for n, token in enumerate(self.tokens):
            if token.text in ("config", "change_flags") and token.kind == "name":
                at, parts = n + 1, list[str]()
                while self._text(at) == "." and at + 1 < len(self.tokens):
                    parts.append(self.tokens[at + 1].text)
                    at += 2
                if parts and self._text(at) == "=":
                    yield ".".join(parts).replace("__", ".")
                if token.text == "change_flags" or parts[-1:] == ["change_flags"]:
                    yield from self._keywords(at)

    def _keywords(self, at: int) -> Iterator[str]:
        """Yields the dotted names of the keyword arguments in the brackets that open at token `at`."""
        depth = self.tokens[at].depth if at < len(self.tokens) else 0
        for n in range(at + 1, min(at + _FAR, len(self.tokens) - 1)):
            if self.tokens[n].depth <= depth:
                return
            if self.tokens[n].kind == "name" and self.tokens[n + 1].text == "=":
                yield self.tokens[n].text.replace("__", ".")

    def carried(self) -> Iterator[Carried]:
        """Yields the flags values in the order of the source."""
        for n, token in enumerate(self.tokens):
            if token.kind == "name" and _NAME.fullmatch(token.text) and self._text(n + 1) == ":" and self._text(n + 3) == "=":
                yield from self._value(token.start, token.end, n + 4, False)
            elif token.kind == "name" and _NAME.fullmatch(token.text) and self._text(n + 1) in ("=", "+="):
                yield from self._value(token.start, token.end, n + 2, self._text(n + 1) == "+=")
            elif token.kind == "string":
                yield from self._string(n, token)

    def _text(self, n: int) -> str:
        """Text of token `n`; `''` outside the source."""
        return self.tokens[n].text if 0 <= n < len(self.tokens) else ""

    def _string(self, n: int, token: Token) -> Iterator[Carried]:
        """Yields the flags values for the string at token `n`: a variable's name, a shell command, or an rc file."""
        body = self.source.text[slice(*token.body)]
        if _NAME.fullmatch(body):
            yield from self._keyed(n, token)
        elif _COMMAND.search(body) and self._is_value(n) and not self._is_message(n):
            yield from self._command(n)
        elif self.rc is not None and "[" in body and "=" in body and self._is_value(n):
            text = unescaped(self.source.part(*token.body))
            text = _dedented(text) if self._call(n) in ("dedent", "cleandoc") else text
            if _RC.search(text.text):
                yield Carried(self.rc, text, Room.QUOTED, None)

    def _keyed(self, n: int, token: Token) -> Iterator[Carried]:
        """Yields the flags values for the string at token `n` that is a variable's name: a dictionary key, an index or an argument."""
        follows, before = self._text(n + 1), self._text(n - 1)
        place = token.body
        if follows == "]" and self._text(n + 2) in ("=", "+="):
            yield from self._value(*place, n + 3, self._text(n + 2) == "+=")
        elif follows == ":" and before in ("{", ","):
            yield from self._value(*place, n + 2, False)
        elif follows == ",":
            call = self._call(n)
            if (before in ("(", "[") and call not in _READS) or call.startswith("set"):
                yield from self._value(*place, n + 2, False)

    def _value(self, start: int, end: int, at: int, appended: bool) -> Iterator[Carried]:
        """Yields the values of the expression at token `at`; `start` and `end` are the offsets of the variable's name."""
        dialect = Dialect(self.source.text[start:end][: -len("_FLAGS")].lower())
        name = (self.source.starts[start], self.source.ends[end - 1])
        for text in self.values.texts(at, self.values.end_of(at)) if at < len(self.tokens) else ():
            yield Carried(dialect, text, Room.QUOTED, name, appended)

    def _command(self, n: int) -> Iterator[Carried]:
        """Yields the flags values set by the shell command in the string at token `n`, including strings added to it."""
        if n < self.done:
            return
        end = self.done = self.values.end_of(n)
        for text in self.values.texts(n, end):
            magic = self._call(n) in _MAGICS
            match = re.match(r"\s*(?:env\s+)?(THEANO|AESARA|PYTENSOR)_FLAGS[= ]", text.text) if magic else None
            if match:
                name = (text.starts[match.start(1)], text.ends[match.end(1) + len("_FLAGS") - 1])
                yield Carried(Dialect(match[1].lower()), text.part(match.end()), Room.QUOTED, name)
            else:
                yield from read_shell(text, self.other, depth=self.depth + 1, strict=True)

    def _is_value(self, n: int) -> bool:
        """Whether the string at token `n` is part of an expression, not a statement by itself, such as a docstring."""
        before, after = self.tokens[n - 1] if n else None, self._text(n + 1)
        alone = before is None or before.kind == "newline" or (before.text in (":", ";") and not before.depth)
        return not (alone and (after in ("", ";") or self.tokens[n + 1].kind == "newline"))

    def _is_message(self, n: int) -> bool:
        """Whether the string at token `n` is printed, logged, compared, or part of an error."""
        first = n
        while first and self.tokens[first - 1].kind == "string":
            first -= 1
        return self._text(first - 1) in ("print", "assert", "in", "==") or _TELLS.fullmatch(self._call(n)) is not None

    def _call(self, n: int) -> str:
        """Name of the function of whose arguments token `n` is part; `''` outside a call."""
        depth = self.tokens[n].depth - 1
        for k in range(n - 1, max(-1, n - _FAR), -1):
            if self.tokens[k].depth == depth and self.tokens[k].text in ("(", "[", "{"):
                return self._text(k - 1) if self.tokens[k].text == "(" and self.tokens[k - 1].kind == "name" else ""
            if self.tokens[k].depth < depth:
                return ""
        return ""
