"""A line on stderr for what takes longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType

from ..escaping import visible
from . import output

AFTER = 1.0
"""Seconds before the first word."""


class Progress:
    """Says what is going on once it has taken a second; on a terminal it goes on counting, elsewhere it is one line."""

    def __init__(self, text: str, live: Callable[[], str] | None = None) -> None:
        """`text` says what is going on; on a terminal `live`, where it is given, is asked for more each time."""
        self.text, self.live = text, live or (lambda: text)
        self.started = time.monotonic()
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)
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

    def between(self, write: Callable[[str], None]) -> Callable[[str], None]:
        """`write` for what is printed meanwhile: the line of progress is wiped before, and comes again below it."""

        def wiping(text: str) -> None:
            with self._writing:
                self._wipe()
                write(text)

        return wiping

    def _wipe(self) -> None:
        if self._stands:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._stands = False

    def _run(self) -> None:
        live = sys.stderr.isatty()
        if self.done.wait(AFTER):
            return
        if not live:
            print(visible(f"theanodiag: {self.text}..."), file=sys.stderr, flush=True)
            return
        columns = 0
        while True:
            told = f"theanodiag: {self.live()}... {time.monotonic() - self.started:.0f} s"
            line = visible(told)[: output.width() - 1]
            with self._writing:
                self._stands = True
                print(f"\r{line.ljust(columns)}", end="", file=sys.stderr, flush=True)
            columns = len(line)
            if self.done.wait(AFTER):
                break
        with self._writing:
            self._wipe()
