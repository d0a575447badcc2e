"""The error type every part raises, with the place in the user's text and what to do about it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import ClassVar


class ExitCode(enum.IntEnum):
    """What the process says to the shell; the numbers are part of the interface."""

    CLEAN = 0
    FINDINGS = 1
    USAGE = 2
    UNREADABLE = 3
    BUG = 4
    OUT_OF_MEMORY = 53


@dataclass(frozen=True)
class Span:
    """A piece `text[start:end]` of a named source text (0-based character offsets)."""

    source: str
    """Path, `<stdin>`, or the name of the environment variable that held the text."""
    text: str
    start: int
    end: int

    @property
    def line(self) -> int:
        """1-based line number of `start`."""
        return self.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """1-based column of `start`, in characters."""
        return self.start - (self.text.rfind("\n", 0, self.start) + 1) + 1

    @property
    def line_text(self) -> str:
        """The whole line on which the span starts, without its end of line."""
        begin = self.text.rfind("\n", 0, self.start) + 1
        end = self.text.find("\n", self.start)
        return self.text[begin : len(self.text) if end < 0 else end].rstrip("\r")

    def caret(self) -> str:
        """The line and, under it, carets below the span; tabs are kept so that they line up."""
        line, before = self.line_text, self.column - 1
        pad = "".join("\t" if c == "\t" else " " for c in line[:before])
        return f"{line}\n{pad}{'^' * max(1, min(self.end - self.start, len(line) - before))}"

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}"


class TheanodiagError(Exception):
    """Something the user can act on: what is wrong, where, and what to do.

    `str()` gives `path:line:col: what is wrong`, the line with a caret, and `help: what to do`.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.UNREADABLE

    def __init__(self, message: str, *, span: Span | None = None, path: str | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.path = path
        self.help = help

    def __str__(self) -> str:
        where = str(self.span) if self.span else self.path
        lines = [f"{where}: {self.message}" if where else self.message]
        if self.span:
            lines.append(self.span.caret())
        if self.help:
            lines.append(f"help: {self.help}")
        return "\n".join(lines)


class UsageError(TheanodiagError):
    """The command line or the arguments of an API call do not make sense."""

    exit_code = ExitCode.USAGE


class UnreadableError(TheanodiagError):
    """An input (a file, an interpreter, a graph) could not be read."""

    exit_code = ExitCode.UNREADABLE
