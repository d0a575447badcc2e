"""Progress output on the terminal while a script runs: its own output with a prefix, and a status line after one second."""

from __future__ import annotations

import codecs
import collections
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable
from types import TracebackType

from ..escaping import MAX_SHOWN, visible, visible_lines
from . import output

AFTER = 1.0
"""Seconds before the status line appears."""
AGAIN = 60.0
"""Seconds after which the line is printed again, with the seconds, where standard error is no terminal; then after twice as many, and so
on."""


class Progress:
    """Shows a status line after one second; on a terminal it keeps counting, elsewhere it is printed again after `AGAIN` seconds."""

    def __init__(self, text: str, live: Callable[[], str] | None = None, again: float = AGAIN) -> None:
        """`text` describes the work; on a terminal `live`, if given, returns additional text for each update. `again`: as `AGAIN`."""
        self.text, self.live, self.again = text, live or (lambda: self.text), again
        self.started = time.monotonic()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.aside: Callable[[], str] = str
        """Returns what a terminal shows after the seconds."""
        self._writing = threading.Lock()
        self._stands = False

    def __enter__(self) -> Progress:
        if output.LOOK.quiet:
            self.done.set()
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.done.set()
        self.thread.join()

    def doing(self, text: str) -> None:
        """Sets the text that describes the current work; it is shown at the next update, at most a second later."""
        self.text = text

    def between(self, write: Callable[[str], None]) -> Callable[[str], None]:
        """Wraps `write`, so that the status line is cleared before its output and redrawn below it."""

        def wiping(text: str) -> None:
            with self._writing:
                self._wipe()
                write(text)

        return wiping

    def _wipe(self) -> None:
        if self._stands:
            output.put("\r\x1b[K")
            self._stands = False

    def _run(self) -> None:
        on_terminal, columns, printed, again = output.is_terminal(sys.stderr), 0, "", self.again
        while not self.done.wait(AFTER):
            seconds = time.monotonic() - self.started
            if on_terminal:
                status = f"theanodiag: {self.live()}... {seconds:.0f} s{self.aside()}"
                line = visible(status)[: output.width() - 1]
                with self._writing:
                    self._stands = True
                    output.put(f"\r{line.ljust(columns)}")
                columns = len(line)
            elif self.text != printed or seconds >= again:
                counted, printed = "", self.text
                while seconds >= again:
                    counted, again = f" {seconds:.0f} s{self.aside()}", 2 * again
                with self._writing:
                    output.put(visible(f"theanodiag: {printed}...{counted}") + "\n")
        with self._writing:
            self._wipe()


MARK = "  | "
CR = "\r"
LONGEST = 1 << 16
"""Number of characters after which an unfinished line is printed."""
FIRST, LAST = 10, 20
"""Lines shown of an output that is longer than both together."""
WAIT = 5.0
"""Seconds to wait for remaining output after the script ends."""


class RepeatedWarnings:
    """Counts equal warnings in the output of a script: Python's, each with the line of code below it, and Theano's."""

    _WARNING = re.compile(r".*:\d+: \w*Warning: |WARNING \(")

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._repeated = False

    def left_of(self, lines: Iterable[str]) -> list[str]:
        """Returns the lines without warnings that came before, and without the lines of code below these."""
        left = []
        for line in lines:
            if self._WARNING.match(line):
                self._times[line] = self._times.get(line, 0) + 1
                self._repeated = self._times[line] > 1
            elif not line.startswith("  "):
                self._repeated = False
            if not self._repeated:
                left.append(line)
        return left

    def counts(self) -> list[str]:
        """Returns a line about each warning that came more than once."""
        return [f"({times} times: {line})" for line, times in self._times.items() if times > 1]


class ScriptOutput:
    """A pipe for the output of the script; `show` receives its lines as they arrive.

    If `show` fails, the rest of the output is read and dropped, so that the script continues, and the `with` block ends with that error.
    """

    def __init__(
        self, heading: str, show: Callable[[str], None], mark: str = MARK, shorten: str = "", warnings: RepeatedWarnings | None = None
    ) -> None:
        """`shorten`, if given, says how to see the whole output: of a long one only `FIRST` and, at its end, `LAST` lines are shown.
        `warnings`, if given, leaves out warnings that the script prints again, and at the end says how often each was printed.
        """
        self.warnings = warnings
        self.heading = heading
        self.mark = mark
        self.show = show
        self.shorten = shorten
        self._count = 0
        self._kept = collections.deque[str](maxlen=LAST)
        self._failure: output.OutputError | None = None
        self._reader, self.descriptor = os.pipe()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> ScriptOutput:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self.descriptor)
        self._thread.join(WAIT)
        if not self.heading:
            self._tell("\n")
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        rest = ""
        while block := os.read(self._reader, LONGEST):
            *lines, rest = (rest + decoder.decode(block)).split("\n")
            if len(rest) > LONGEST:
                lines, rest = [*lines, rest], ""
            self._say(lines)
        self._say([rest] if rest else [])
        self._say_end()
        os.close(self._reader)

    def _say(self, lines: list[str]) -> None:
        """Shows lines; of one that was written over and over (a progress bar) what it was last."""
        lines = lines if self.warnings is None else self.warnings.left_of(lines)
        if lines and self.heading:
            self._tell(f"{self.heading}\n")
            self.heading = ""
        now = max(FIRST - self._count, 0) if self.shorten else len(lines)
        self._count += len(lines)
        self._kept.extend(lines[now:])
        self._show(lines[:now])

    def unseen(self) -> str:
        """Returns the number and the text of the latest line, if it is not shown yet; else empty."""
        latest = list(self._kept)[-1:] if self.shorten and self._count > FIRST else []
        return "".join(f", line {self._count} of its output: {line.rstrip(CR).rpartition(CR)[2]}" for line in latest)

    def _say_end(self) -> None:
        """Shows the last lines of an output that was cut, and how many are between them and the first."""
        left = self._count - FIRST - len(self._kept)
        if self.shorten and left > 0:
            self._tell(f"{self.mark}... ({left} more line{'s' if left > 1 else ''}; {self.shorten})\n")
        self._show([*self._kept, *(self.warnings.counts() if self.warnings is not None else ())])

    def _show(self, lines: list[str]) -> None:
        if lines:
            self._tell("".join(f"{self.mark}{_whole(line.rstrip(CR).rpartition(CR)[2])}\n" for line in lines))

    def _tell(self, text: str) -> None:
        if self._failure is None:
            try:
                self.show(text)
            except output.OutputError as error:
                self._failure = error


def _whole(line: str) -> str:
    """All of a line, made visible."""
    return "".join(visible_lines(line[at : at + MAX_SHOWN]) for at in range(0, len(line), MAX_SHOWN))
