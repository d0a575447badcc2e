"""The base class of all errors, with the place in the user's text and what to do about it; and the exit codes."""

from __future__ import annotations

import bisect
import enum
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from .escaping import visible, visible_lines

SHOWN_AROUND = 500
"""Number of characters of a long line shown on either side of a span, and of the span itself."""


class ExitCode(enum.IntEnum):
    """Exit codes of the command line; the numbers are part of the interface."""

    CLEAN = 0
    """No findings at or above `--fail-on`."""
    FINDINGS = 1
    """Findings at or above `--fail-on`."""
    USAGE = 2
    """Wrong usage of the command line or API."""
    UNREADABLE = 3
    """An input could not be read, or the output could not be written."""
    BUG = 4
    """A bug of theanodiag."""
    LAYER_LACKS = 5
    """`run --explain`: the script failed because the compatibility layer lacks something."""
    OUT_OF_MEMORY = 53
    """The script is predicted to run out of memory."""


@functools.lru_cache(maxsize=8)
def line_starts(text: str) -> list[int]:
    """Returns the offset of the start of each line of `text`; cached, since one file may have thousands of findings."""
    starts, at = [0], text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts


@dataclass(frozen=True)
class Span:
    """A piece `text[start:end]` of a named source text (0-based character offsets)."""

    source: str
    """Path, `<stdin>`, or the name of the environment variable that held the text."""
    text: str
    """The whole source text."""
    start: int
    """Offset of the first character."""
    end: int
    """Offset just past the last character."""

    @property
    def line(self) -> int:
        """1-based line number of `start`."""
        return bisect.bisect_right(line_starts(self.text), self.start)

    @property
    def column(self) -> int:
        """1-based column of `start`, in characters."""
        return self.start - line_starts(self.text)[self.line - 1] + 1

    @property
    def line_text(self) -> str:
        """The whole line in which the span starts, without its line ending."""
        begin = self.text.rfind("\n", 0, self.start) + 1
        end = self.text.find("\n", self.start)
        return self.text[begin : len(self.text) if end < 0 else end].rstrip("\r")

    def caret(self) -> str:
        """Returns the source line, escaped, with carets under the span on a second line; a long line is shortened around the span.

        Tabs are kept in both lines so that they align.
        """
        line, before = self.line_text, self.column - 1
        marked = min(max(self.end - self.start, 1), max(len(line) - before, 1), SHOWN_AROUND)
        first, last = max(0, before - SHOWN_AROUND), before + marked + SHOWN_AROUND
        left, middle, right = line[first:before], line[before : before + marked], line[before + marked : last]
        shown, pad = visible_lines(("…" if first else "") + left), len(visible_lines(middle))
        blank = "".join("\t" if c == "\t" else " " for c in shown)
        return f"{shown}{visible_lines(middle + right)}{'…' if last < len(line) else ''}\n{blank}{'^' * max(1, pad)}"

    def __str__(self) -> str:
        return f"{visible(self.source)}:{self.line}:{self.column}"


class TheanodiagError(Exception):
    """Base class of the errors that the user can act on: what is wrong, where, and what to do.

    `str()` gives `path:line:col: what is wrong`, the line with a caret, and `help: what to do`, with invisible characters escaped
    (`escaping.visible`); the attributes hold the texts unescaped.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.UNREADABLE
    """Exit code of the command line for this error."""

    def __init__(
        self,
        message: str,
        *,
        span: Span | None = None,
        path: str | None = None,
        help: str | None = None,
        option: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.path = path
        self.help = help
        self.option = option
        """The field of the request (`theanodiag.requests`) that it is about; None where it is about none."""
        self.code = code or self.exit_code.name.lower()
        """What programs tell errors apart by: `framework-missing`, else the name of the exit code."""

    def __str__(self) -> str:
        where = str(self.span) if self.span else visible(self.path or "")
        message = visible(self.message)
        lines = [f"{where}: {message}" if where else message]
        if self.span:
            lines.append(self.span.caret())
        if self.help:
            lines.append(f"help: {visible(self.help)}")
        return "\n".join(lines)


class UsageError(TheanodiagError):
    """An option or argument is invalid, or options contradict each other."""

    exit_code = ExitCode.USAGE


class UnreadableError(TheanodiagError):
    """An input (a file, an interpreter, a graph) could not be read."""

    exit_code = ExitCode.UNREADABLE


def near(word: str, known: Iterable[str]) -> str | None:
    """Returns a question such as `did you mean X?` with the known word most similar to `word`; None if none is similar."""
    import difflib

    matches = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {matches[0]}?" if matches else None
