"""Flags that a Python source sets: in `os.environ`, in the environment of a process, in commands, in rc files that it writes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

from ..model import Dialect
from .model import Carried, Mapped, Reading, Room, blanked, joined, unescaped
from .python_names import Range, names
from .python_tokens import Token, tokens
from .python_values import StringValues
from .shell import MENTIONS, Other
from .shell import read as read_shell

_NAME = re.compile(r"(THEANO|AESARA|PYTENSOR)_FLAGS")
_COMMAND = re.compile(r"(?<!\w)(?:THEANO|AESARA|PYTENSOR)_FLAGS[= ]")
_RC = re.compile(r"^\s*\[(?:global|nvcc|blas|lib|gpuarray|dnn|cuda|gcc)\]\s*$", re.M)
_READS = {"get", "getenv", "pop", "has_key", "append", "remove", "index", "startswith", "print", "join", "getvalue"}
_TELLS = re.compile(
    r"print|warn(?:ing)?|info|debug|error|exception|critical|fail|skip|help|log|s?echo|exit|abort|usage|add_argument|add_option|"
    r"\w*(?:Error|Exception|Warning|Exit)"
)
"""Names of functions and exceptions whose strings are messages to the user."""
_LATER = re.compile(r"(?<!\$)\{\w*\}")
"""A field of a command that another statement formats."""
_FAR = 400
"""Maximum number of tokens searched for the call that a string is in, or for the arguments of a call."""


def read(source: Mapped, other: Other, *, depth: int = 0) -> Reading:
    """Returns the flags values that a Python source sets, and the flags that it assigns through `theano.config`."""
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
        self.values.names = names(source.text, self.tokens, self.values.end_of)
        self.lists = dict(self._appended())
        """Name of a list -> the items that are appended to it."""
        self.done = 0
        """Index of the token after the last shell command that was read."""
        self.rc = next((dialect for dialect in Dialect if f"{dialect.value}rc" in source.text), None)
        """The library whose rc file the source mentions; None if it mentions none."""

    def _appended(self) -> Iterator[tuple[str, tuple[Range, ...]]]:
        """Yields each name of a list, with the tokens of the items that `append`, `extend` and `+=` add to it, and of those in the lists
        that it is assigned, where these are several.
        """
        items: dict[str, list[Range]] = {}
        for n, token in enumerate(self.tokens[:-4]):
            if token.kind != "name":
                continue
            follows = [self._text(n + k) for k in (1, 2, 3)]
            of_call = follows[0] == "." and follows[2] == "("
            at = n + 4 if of_call else n + 2
            if of_call and follows[1] == "append":
                items.setdefault(token.text, []).append((at, self.values.end_of(at)))
            elif self._text(at) in ("[", "(") and (
                (of_call and follows[1] == "extend")
                or follows[0] == "+="
                or (follows[0] == "=" and not self.values.is_assigned_once(token.text))
            ):
                items.setdefault(token.text, []).extend(self.values.items(at, self.values.end_of(at)))
        return ((name, tuple(places)) for name, places in items.items())

    def configured(self) -> Iterator[str]:
        """Yields the dotted names of flags that the source assigns as attributes of `config` or passes to `change_flags`."""
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
        """Yields the flags values that the source sets, in order."""
        for n, token in enumerate(self.tokens):
            if token.kind == "name" and _NAME.fullmatch(token.text) and self._text(n + 1) == ":" and self._text(n + 3) == "=":
                yield from self._value(token.start, token.end, n + 4, False)
            elif token.kind == "name" and _NAME.fullmatch(token.text) and self._text(n + 1) in ("=", "+="):
                yield from self._value(token.start, token.end, n + 2, self._text(n + 1) == "+=")
            elif token.kind == "string":
                yield from self._string(n, token)
        yield from self._written()

    def _written(self) -> Iterator[Carried]:
        """Yields the contents of an rc file that calls of `write` of one open file write, such as line by line."""
        if self.rc is None:
            return
        files, contents = dict[str, list[Mapped]](), list[list[Mapped]]()
        for n, token in enumerate(self.tokens[:-3]):
            call = self._text(n + 2)
            if token.text == ")" or (token.kind == "name" and (self._text(n - 1) == "as" or self._text(n + 1) == "=")):
                files.pop(token.text, None)
            if self._text(n + 1) == "." and call in ("write", "writelines") and self._text(n + 3) == "(":
                end = self.values.end_of(n + 4)
                if any(t.kind == "string" and "[" in t.text and "=" in t.text for t in self.tokens[n + 4 : end]):
                    continue  # `_string` reads it
                if token.text not in files:
                    contents.append(files.setdefault(token.text, []))
                for item in self.values.items(n + 4, end) if call == "writelines" else ((n + 4, end),):
                    files[token.text] += self.values.texts(*item)[:1]
        for parts in contents:
            text = joined(parts)
            if _RC.search(text.text):
                yield Carried(self.rc, text, Room.QUOTED, None)

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
        last = self.values.end_of(at)
        for text in self.values.texts(at, last) if at < len(self.tokens) else ():
            yield Carried(dialect, text, Room.QUOTED, name, appended)
        yield from (Carried(dialect, text, Room.QUOTED, name, True) for text in self._joined_later(at, last))

    def _joined_later(self, at: int, last: int) -> Iterator[Mapped]:
        """Yields the items that the source adds to a list which the expression from token `at` to `last` joins."""
        for n in range(at, last - 3):
            if [self._text(n), self._text(n + 1), self._text(n + 3)] == ["join", "(", ")"]:
                for item in self.lists.get(self._text(n + 2), ()):
                    yield from self.values.texts(*item)

    def _command(self, n: int) -> Iterator[Carried]:
        """Yields the flags values set by the shell command in the string at token `n`, including strings added to it."""
        if n < self.done:
            return
        end = self.done = self.values.end_of(n)
        set_here = list[Carried]()
        for text in (blanked(text, _LATER) for text in self.values.texts(n, end)):
            magic = self._call(n) in ("magic", "run_line_magic")
            match = re.match(r"\s*(?:env\s+)?(THEANO|AESARA|PYTENSOR)_FLAGS[= ]", text.text) if magic else None
            if match:
                name = (text.starts[match.start(1)], text.ends[match.end(1) + len("_FLAGS") - 1])
                set_here.append(Carried(Dialect(match[1].lower()), text.part(match.end()), Room.QUOTED, name))
            else:
                set_here += read_shell(text, self.other, depth=self.depth + 1, strict=True)
        yield from set_here
        if set_here:
            yield from (replace(set_here[0], value=text, appended=True) for text in self._joined_later(n, end))

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
        if self._text(first - 1) in ("print", "assert", "in", "==") or _TELLS.fullmatch(self._call(n)):
            return True
        return [self._text(first - k) for k in (1, 2, 3)] == ["(", "write", "."] and self._text(first - 4) in ("stdout", "stderr")

    def _call(self, n: int) -> str:
        """Name of the function of whose arguments token `n` is part; `''` outside a call."""
        depth = self.tokens[n].depth - 1
        for k in range(n - 1, max(-1, n - _FAR), -1):
            if self.tokens[k].depth == depth and self.tokens[k].text in ("(", "[", "{"):
                return self._text(k - 1) if self.tokens[k].text == "(" and self.tokens[k - 1].kind == "name" else ""
            if self.tokens[k].depth < depth:
                return ""
        return ""
