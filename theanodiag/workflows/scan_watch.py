"""What a scan is doing at the moment, for those who look on while it works."""

from __future__ import annotations

import time
from collections import deque

FIRST = 5
"""Results before a guess is made of how long it will take."""


class Watch:
    """Counts of one pass of a scan. The scan writes them; `text` may be called in another thread at any time."""

    def __init__(self) -> None:
        self.begin("scanning", None, 1)

    def begin(self, doing: str, total: int | None, width: int) -> None:
        """A pass begins, of `total` files if that is known, `width` of which are worked on at a time."""
        self.doing, self.total, self.width = doing, total, width
        self.done = self.bad = 0
        self.started = time.monotonic()
        self._waiting: deque[str] = deque()
        self._at_work: dict[str, float] = {}

    def count(self, files: int) -> None:
        """How many files there are, once somebody has counted them; of no effect on scripts that are run."""
        if self.total is None:
            self.total = files

    def handed_out(self, path: str) -> None:
        """A file was handed to the workers, who take them in turn."""
        self._waiting.append(path)
        self._take()

    def came_back(self, path: str) -> None:
        """The workers are done with a file, or have lost it."""
        self._at_work.pop(path, None)
        if path in self._waiting:
            self._waiting.remove(path)
        self._take()

    def _take(self) -> None:
        while self._waiting and len(self._at_work) < self.width:
            self._at_work[self._waiting.popleft()] = time.monotonic()

    def finished(self, bad: bool) -> None:
        """A file has its result."""
        self.done += 1
        self.bad += bad

    @property
    def slowest(self) -> tuple[str, float] | None:
        """The file that has been worked on for longest, and the seconds; None where nobody is at work."""
        began = dict(self._at_work)
        path = min(began, key=lambda p: began[p], default=None)
        return None if path is None else (path, time.monotonic() - began[path])

    @property
    def left_seconds(self) -> float | None:
        """Seconds that the rest takes at the pace so far; None where that cannot be said yet."""
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
    """Seconds as people say them.

    >>> duration(45), duration(200), duration(9000)
    ('45 s', '3 min', '2 h 30 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
