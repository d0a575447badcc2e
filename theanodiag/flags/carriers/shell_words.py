"""Words, operators and here-documents of a shell script, each character with its place; expansions become `UNKNOWN`.

The grammar is that of POSIX shells (quoting, comments, here-documents, expansions), read without running anything. csh and fish quote alike
where it matters here. What is damaged, such as a quote without an end, is read up to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .model import UNKNOWN, Builder, Mapped

_NAME = re.compile(r"[A-Za-z_]\w*|[?#@*!$0-9-]")
_REDIRECT = re.compile(r"(?:\d|&)?(<<<|<<-?|>>|>\||>&|>|<&|<)")
_DEFAULT = re.compile(r"\$\{\w*_FLAGS:?=")
"""An expansion that sets the variable where it is unset."""
_LONGEST = 2000
"""Characters in which the end of an expansion is looked for; a longer one is taken for text."""


@dataclass(frozen=True, eq=False)
class Word:
    """One word without its quotes."""

    text: Mapped
    quoted: bool
    """Whether the whole word, or everything after its first `=`, is quoted."""
    inner: tuple[Mapped, ...] = ()
    """Texts of the commands in `$(...)` and backquotes, and of what `${NAME:=...}` sets."""


@dataclass(frozen=True, eq=False)
class Document:
    """A here-document."""

    text: Mapped


@dataclass(eq=False)
class Command:
    """A simple command."""

    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word]] = field(default_factory=list)
    """(operator, target)."""
    documents: list[Document] = field(default_factory=list)
    ended_by: str = ""
    """The operator after it; `''` at the end of the text."""


def commands(source: Mapped, known: Mapping[str, Mapped]) -> Iterator[Command]:
    """The simple commands of a script, in order. `known` holds the values of variables, and may be extended between commands."""
    return _Lexer(source, known).commands()


def expand(source: Mapped, known: Mapping[str, Mapped]) -> Mapped:
    """A text without quotes, such as a value in a container file, with its expansions removed."""
    lexer, builder = _Lexer(source, known), Builder()
    while lexer.at < len(source):
        if lexer.here == "$":
            lexer.expansion(builder)
        else:
            builder.take(source, lexer.at)
            lexer.at += 1
    return builder.mapped()


class _Lexer:
    """Reads from `at` on."""

    def __init__(self, source: Mapped, known: Mapping[str, Mapped]) -> None:
        self.known = known
        self.source, self.text, self.at = source, source.text, 0
        self.unbalanced = 0
        """Place up to which no bracket is looked for: one before it had no end."""
        self.waiting: list[tuple[Command, str, bool, bool]] = []
        """Here-documents whose text begins behind the present line: command, delimiter, whether quoted, whether tabs are removed."""

    @property
    def here(self) -> str:
        return self.text[self.at : self.at + 1]

    def commands(self) -> Iterator[Command]:
        present, line = Command(), list[Command]()
        while self.at < len(self.text):
            ended = self._step(present)
            if ended:
                present.ended_by = ended
                line.append(present)
                present = Command()
                if not self.waiting:  # the text of a here-document stands behind the whole line
                    yield from line
                    line = []
        yield from line
        yield present

    def _step(self, command: Command) -> str:
        """Reads blanks, a comment, a redirection, a word or an operator; gives the operator."""
        c = self.here
        if c in " \t\r":
            self.at += 1
        elif c == "\\" and self.text[self.at + 1 : self.at + 2] in ("\n", "\r"):
            self.at += 3 if self.text.startswith("\r\n", self.at + 1) else 2
        elif c == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif redirect := _REDIRECT.match(self.text, self.at):
            self.at = redirect.end()
            self._redirect(command, redirect[1])
        elif c in ";&|()\n" or (c in "{}" and self._alone()):
            return self._operator(command)
        else:
            command.words.append(self.word())
        return ""

    def _alone(self) -> bool:
        """Whether a brace is a word by itself, so that it begins or ends a group of commands."""
        return not self.text[self.at + 1 : self.at + 2].strip(" \t\r\n;)")

    def _operator(self, command: Command) -> str:
        two = self.text[self.at : self.at + 2]
        operator = two if two in ("&&", "||", ";;", "|&") else self.here
        self.at += len(operator)
        if operator == "\n":
            self._documents()
        return operator

    def _redirect(self, command: Command, operator: str) -> None:
        while self.here and self.here in " \t":
            self.at += 1
        start = self.at
        target = self.word()
        if operator in ("<<", "<<-"):
            quoted = any(c in "'\"\\" for c in self.text[start : self.at])
            self.waiting.append((command, target.text.text, quoted, operator == "<<-"))
        elif operator == "<<<":
            command.documents.append(Document(target.text))
        elif target.text.text:
            command.redirects.append((operator, target))

    def _documents(self) -> None:
        """Reads the here-documents that begin on this line; their command may have ended before, on the same line."""
        for command, delimiter, quoted, tabs in self.waiting:
            builder = Builder()
            while self.at < len(self.text):
                end = self.text.find("\n", self.at) + 1 or len(self.text)
                if self.text[self.at : end].rstrip("\r\n").lstrip("\t" if tabs else "") == delimiter:
                    self.at = end
                    break
                while tabs and self.at < end and self.here == "\t":
                    self.at += 1
                self._document_line(builder, end, quoted)
            command.documents.append(Document(builder.mapped()))
        self.waiting = []

    def _document_line(self, builder: Builder, end: int, quoted: bool) -> None:
        while self.at < end:
            if not quoted and self.here == "\\" and self.text[self.at + 1 : self.at + 2] in ("$", "`", "\\"):
                builder.take(self.source, self.at, self.at + 2, self.text[self.at + 1])
                self.at += 2
            elif not quoted and self.here == "$":
                self.expansion(builder)
            else:
                builder.take(self.source, self.at)
                self.at += 1

    def word(self) -> Word:
        """Reads a word; stops before a blank or an operator."""
        builder, inner, bare = Builder(), list[Mapped](), False
        while self.at < len(self.text):
            c = self.here
            if c in " \t\r\n;&|<>()":
                break
            if c in "'\"":
                self._quoted(builder, inner, c)
            elif c == "\\":
                self._escaped(builder)
            elif c == "$" and self.text[self.at + 1 : self.at + 2] in ("'", '"'):
                self.at += 1
            elif c in "$`":
                self.expansion(builder, inner)
            else:
                bare = bare or "=" in builder.chars
                builder.take(self.source, self.at)
                self.at += 1
        if not builder.chars and self.at < len(self.text) and self.here in "()":  # cannot be part of a word here
            self.at += 1
        return Word(builder.mapped(), not bare, tuple(inner))

    def _escaped(self, builder: Builder) -> None:
        follows = self.text[self.at + 1 : self.at + 2]
        if follows == "\n":
            self.at += 2
        elif self.text.startswith("\r\n", self.at + 1):
            self.at += 3
        elif follows:
            builder.take(self.source, self.at, self.at + 2, follows)
            self.at += 2
        else:
            self.at += 1

    def _quoted(self, builder: Builder, inner: list[Mapped], quote: str) -> None:
        self.at += 1
        while self.at < len(self.text) and self.here != quote:
            follows = self.text[self.at + 1 : self.at + 2]
            if quote == '"' and self.here == "\\" and follows and follows in '"\\$`\n':
                if follows != "\n":
                    builder.take(self.source, self.at, self.at + 2, follows)
                self.at += 2
            elif quote == '"' and self.here in "$`":
                self.expansion(builder, inner)
            else:
                builder.take(self.source, self.at)
                self.at += 1
        self.at += 1

    def expansion(self, builder: Builder, inner: list[Mapped] | None = None) -> None:
        """Reads `$name`, `${...}`, `$(...)` or a text in backquotes, as `UNKNOWN`."""
        start = self.at
        name, end = self._expansion_end()
        if end == start:
            builder.take(self.source, start)
            self.at += 1
            return
        self.at = end
        content = self.text[start:end]
        if inner is not None and (content.startswith(("$(", "`")) or _DEFAULT.match(content)):
            inner.append(self.source.part(start + (2 if content[0] == "$" else 1), end - 1))
        if name in self.known:
            builder.extend(self.known[name])
        else:
            builder.take(self.source, start, end, UNKNOWN)
            if content.endswith(",}"):  # ${NAME:+$NAME,} ends in the comma that parts flags
                builder.add(",", self.source.ends[end - 1], self.source.ends[end - 1])

    def _expansion_end(self) -> tuple[str, int]:
        """(name, end) of the expansion here; the end is the beginning where it is none."""
        at = self.at
        if self.text[at] == "`":
            end = self.text.find("`", at + 1)
            return "", end + 1 if end > 0 else at
        follows = self.text[at + 1 : at + 2]
        if follows in ("{", "("):
            end = self._balanced(at + 1)
            inside = self.text[at + 2 : end - 1]
            return (inside if follows == "{" and inside.isidentifier() else ""), end or at
        name = _NAME.match(self.text, at + 1)
        return (name[0], name.end()) if name else ("", at)

    def _balanced(self, at: int) -> int:
        """The place behind the bracket that closes the one at `at`; 0 where there is none near."""
        opening, closing = self.text[at], ")" if self.text[at] == "(" else "}"
        depth = 0
        if at < self.unbalanced:
            return 0
        for n in range(at, min(len(self.text), at + _LONGEST)):
            depth += (self.text[n] == opening) - (self.text[n] == closing)
            if not depth:
                return n + 1
        self.unbalanced = at + _LONGEST // 2
        return 0
