"""What a checked script prints, line by line behind a mark, under a heading that says what its numbers are."""

from __future__ import annotations

import codecs
import os
import threading
from collections.abc import Callable
from types import TracebackType

from ..escaping import MAX_SHOWN, visible_lines

MARK = "  | "
CR = "\r"
LONGEST = 1 << 16
"""Characters after which a line is printed though it has no end yet."""
WAIT = 5.0
"""Seconds that are waited, once the script is over, for the rest of its output."""


class ScriptOutput:
    """A pipe whose other end is for the script; `show` gets its lines as they come."""

    def __init__(self, heading: str, show: Callable[[str], None], mark: str = MARK) -> None:
        self.heading = heading
        self.mark = mark
        self.show = show
        self._reader, self.descriptor = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> ScriptOutput:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.descriptor)
        self._thread.join(WAIT)
        if not self.heading:
            self.show("\n")

    def _run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        while block := os.read(self._reader, LONGEST):
            *lines, rest = (rest + decoder.decode(block)).split("\n")
            if len(rest) > LONGEST:
                lines, rest = [*lines, rest], ""
            self._say(lines)
        self._say([rest] if rest else [])
        os.close(self._reader)

    def _say(self, lines: list[str]) -> None:
        """Shows lines; of one that was written over and over (a progress bar) what it was last."""
        if lines and self.heading:
            self.show(f"{self.heading}\n")
            self.heading = ""
        if lines:
            self.show("".join(f"{self.mark}{_whole(line.rstrip(CR).rpartition(CR)[2])}\n" for line in lines))


def _whole(line: str) -> str:
    """All of a line, made visible."""
    return "".join(visible_lines(line[at : at + MAX_SHOWN]) for at in range(0, len(line), MAX_SHOWN))
