"""Words, operators and here-documents of a shell script, each character with its place; expansions become `UNKNOWN`.

The grammar is that of POSIX shells (quoting, comments, here-documents, expansions), parsed without running anything; scripts of csh and
fish are parsed by the same rules. A quote without an end extends to the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .model import Builder, Mapped

_NAME = re.compile(r"[A-Za-z_]\w*|[?#@*!$0-9-]")
_REDIRECT = re.compile(r"(?:\d|&)?(<<<|<<-?|>>|>\||>&|>|<&|<)")
_DEFAULT = re.compile(r"\$\{\w*_FLAGS:?=")
"""Matches `${THEANO_FLAGS:=`: this expansion sets the variable if it is unset."""
_LONGEST = 2000
"""Maximum length of an expansion in characters; the `$` of a longer one is ordinary text."""


@dataclass(frozen=True, eq=False)
class Word:
    """One word without its quotes."""

    text: Mapped
    quoted: bool
    """Whether the whole word, or everything after its first `=`, is quoted."""
    inner: tuple[Mapped, ...] = ()
    """Texts of the commands in `$(...)` and backquotes, and of what `${NAME:=...}` sets."""


@dataclass(frozen=True, eq=False)
class HereDocument:
    """The text of a here-document, or of a here-string (`<<<`)."""

    text: Mapped


@dataclass(eq=False)
class ShellCommand:
    """A simple command."""

    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word]] = field(default_factory=list)
    """(operator, target)."""
    documents: list[HereDocument] = field(default_factory=list)
    ended_by: str = ""
    """The operator after it; `''` at the end of the text."""


def commands(source: Mapped, known: Mapping[str, Mapped]) -> Iterator[ShellCommand]:
    """Yields the simple commands of a script, in order. `known` maps variables to values; the caller may add to it between commands."""
    return _Lexer(source, known).commands()


_WITH_DEFAULT = re.compile(r"\$\{(?P<name>\w+)(?::?-(?=[\w.]+=)|:?[-=](?=[\w./:@+-]+\}$))")
"""`${NAME:-device=cpu}`: flags, or a plain word, where nobody gave the variable another value before."""


def expand(source: Mapped, known: Mapping[str, Mapped]) -> Mapped:
    """Returns a text without quotes, such as a value in a container file, with each expansion replaced by the variable's value in `known`,
    or by `UNKNOWN`.
    """
    lexer, builder = _Lexer(source, known), Builder()
    while lexer.at < len(source):
        if lexer.here == "$":
            lexer.expansion(builder)
        else:
            builder.take(source, lexer.at)
            lexer.at += 1
    return builder.mapped()


class _Lexer:
    """Splits a script into commands; `at` is the index of the next character."""

    def __init__(self, source: Mapped, known: Mapping[str, Mapped]) -> None:
        self.known = known
        self.source, self.text, self.at = source, source.text, 0
        self.unbalanced = 0
        """No closing bracket is searched for an opening one before this index, because an earlier search found none."""
        self.waiting: list[tuple[ShellCommand, str, bool, bool]] = []
        """Here-documents after the current line: (command, delimiter, whether it is quoted, whether leading tabs are removed)."""

    @property
    def here(self) -> str:
        """The next character; `''` at the end of the text."""
        return self.text[self.at : self.at + 1]

    def commands(self) -> Iterator[ShellCommand]:
        """Yields the commands. The commands of a line with here-documents are yielded after the here-documents were read."""
        present, line = ShellCommand(), list[ShellCommand]()
        while self.at < len(self.text):
            ended = self._step(present)
            if ended:
                present.ended_by = ended
                line.append(present)
                present = ShellCommand()
                if not self.waiting:  # the text of a here-document stands behind the whole line
                    yield from line
                    line = []
        yield from line
        yield present

    def _step(self, command: ShellCommand) -> str:
        """Reads one blank, comment, redirection, word or operator, and adds words and redirections to `command`. Returns the operator that
        ends the command, else `''`.
        """
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
            return self._operator()
        else:
            command.words.append(self.word())
        return ""

    def _alone(self) -> bool:
        """Whether a blank, line end, operator or the end of the text follows the brace, which then begins or ends a group of commands."""
        return not self.text[self.at + 1 : self.at + 2].strip(" \t\r\n;)<>&|")

    def _operator(self) -> str:
        """Reads an operator and returns it; after a line end, reads the here-documents of that line."""
        two = self.text[self.at : self.at + 2]
        operator = two if two in ("&&", "||", ";;", "|&") else self.here
        self.at += len(operator)
        if operator == "\n":
            self._documents()
        return operator

    def _redirect(self, command: ShellCommand, operator: str) -> None:
        """Reads the target of a redirection and adds it to the command."""
        while self.here and self.here in " \t":
            self.at += 1
        start = self.at
        target = self.word()
        if operator in ("<<", "<<-"):
            quoted = any(c in "'\"\\" for c in self.text[start : self.at])
            self.waiting.append((command, target.text.text, quoted, operator == "<<-"))
        elif operator == "<<<":
            command.documents.append(HereDocument(target.text))
        elif target.text.text and not (operator == ">&" and target.text.text.isdigit()):
            command.redirects.append((operator, target))

    def _documents(self) -> None:
        """Reads the here-documents opened on this line and adds each to its command, which may have ended earlier on the line."""
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
            command.documents.append(HereDocument(builder.mapped()))
        self.waiting = []

    def _document_line(self, builder: Builder, end: int, quoted: bool) -> None:
        """Appends the text up to index `end` to `builder`, with expansions unless the delimiter was quoted."""
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
        builder, inner, bare, seen = Builder(), list[Mapped](), False, 0
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
                bare = bare or "=" in builder.chars[seen:]
                seen = len(builder.chars)
                builder.take(self.source, self.at)
                self.at += 1
        if not builder.chars and self.at < len(self.text) and self.here in "()":  # cannot be part of a word here
            self.at += 1
        return Word(builder.mapped(), not bare, tuple(inner))

    def _escaped(self, builder: Builder) -> None:
        """Reads a backslash and the character after it; an escaped line end gives nothing."""
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
        """Reads a text in quotes; commands in its expansions are added to `inner`."""
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
        """Reads `$name`, `${...}`, `$(...)` or a text in backquotes, and appends the variable's known value, or `UNKNOWN`. A command or
        default value inside is added to `inner`.
        """
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
        default = _WITH_DEFAULT.match(content)
        if default and default["name"] not in self.known:
            builder.extend(expand(self.source.part(start + default.end(), end - 1), self.known))
            return
        name = default["name"] if default else name
        builder.put(self.source, start, end, self.known.get(name))
        if name not in self.known and content.endswith(",}"):  # ${NAME:+$NAME,} ends in the comma that parts flags
            builder.add(",", self.source.ends[end - 1], self.source.ends[end - 1])

    def _expansion_end(self) -> tuple[str, int]:
        """(variable, end index) of the expansion at the next character. The variable is `''` unless the form is `$name` or `${name}`; the
        end is the start if there is no expansion.
        """
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
        """The index after the bracket that closes the one at index `at`; 0 if that is not within `_LONGEST` characters."""
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
