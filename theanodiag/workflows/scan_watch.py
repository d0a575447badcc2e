"""The progress of a running scan, for display."""

from __future__ import annotations

import time
from collections import deque

FIRST = 5
"""Number of results before the remaining time is estimated."""


class Watch:
    """Counters for one pass of a scan. The scan updates them; `text` may be called in another thread at any time."""

    def __init__(self) -> None:
        self.begin("scanning", None, 1)

    def begin(self, doing: str, total: int | None, width: int) -> None:
        """Begins a pass over `total` files, if that number is known, `width` of which are processed at a time."""
        self.doing, self.total, self.width = doing, total, width
        self.done = self.bad = 0
        self.started = time.monotonic()
        self._waiting: deque[str] = deque()
        self._at_work: dict[str, float] = {}

    def count(self, files: int) -> None:
        """Sets the number of files, once they have been counted; has no effect while scripts are run."""
        if self.total is None:
            self.total = files

    def handed_out(self, path: str) -> None:
        """Records that a file was handed to the workers, which process files in order."""
        self._waiting.append(path)
        self._take()

    def came_back(self, path: str) -> None:
        """Records that the workers have finished or lost a file."""
        self._at_work.pop(path, None)
        if path in self._waiting:
            self._waiting.remove(path)
        self._take()

    def _take(self) -> None:
        while self._waiting and len(self._at_work) < self.width:
            self._at_work[self._waiting.popleft()] = time.monotonic()

    def finished(self, bad: bool) -> None:
        """Records the result of a file."""
        self.done += 1
        self.bad += bad

    @property
    def slowest(self) -> tuple[str, float] | None:
        """The file that has been processed for the longest time, and the seconds; None if no worker is busy."""
        began = dict(self._at_work)
        path = min(began, key=lambda p: began[p], default=None)
        return None if path is None else (path, time.monotonic() - began[path])

    @property
    def left_seconds(self) -> float | None:
        """Estimated remaining seconds at the present pace; None if it cannot be estimated yet."""
        if self.total is None or self.done < FIRST:
            return None
        return (time.monotonic() - self.started) / self.done * max(0, self.total - self.done)

    def text(self) -> str:
        """`running scripts, 12 of 40 done, 3 failed, slowest models/train.py 45 s, about 3 min left`."""
        of = f" of {self.total}" if self.total is not None else ""
        parts = [self.doing, f"{self.done}{of} done", *([f"{self.bad} failed"] if self.bad else [])]
        slowest, left = self.slowest, self.left_seconds
        if slowest is not None and slowest[1] >= 2:
            parts.append(f"slowest {slowest[0]} {duration(slowest[1])}")
        if left is not None:
            parts.append(f"about {duration(left)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """A number of seconds as readable text.

    >>> duration(45), duration(200), duration(9000)
    ('45 s', '3 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
