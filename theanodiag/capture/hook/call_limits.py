"""Decides which calls are worth recording and when enough was seen.

A call brings news if its function was called fewer than `max_calls` times before, or if its shapes were not seen before, or not right
after those of the call before: without garbage collection a call begins with what the last one left. Both count up to `SIGNATURES` times a
function: a shape that grows at every call would be news for ever. A new function is news too. Where another function brought news since
the last call of this one, the call is recorded, and is no news itself: what the other left (without garbage collection all that it
computed) is there while this one runs again, in the second epoch of a training, say; and so is one of other shapes than the last recorded
one, which leaves something else to the other functions, and one that hands out device arrays, which the script may hold. The script is
stopped after a number of consecutive calls without news: few where every function was called `max_calls` times, many where one was not (a
validation function is often called after a long loop only), and fewer if these calls take long.
"""

import time

SIGNATURES = 32
COLLECTED = 1024
"""So many calls are recorded of a function whose device arrays the script collects."""


class Limit(object):
    """Stop after `most` calls without news, or after `least` of them once `seconds` have gone by."""

    def __init__(self, least: int, most: int, seconds: float) -> None:
        self.least = least
        self.most = most
        self.seconds = seconds


LIMITS = {
    "dry": (Limit(20, 1000, 5.0), Limit(100, 5000, 30.0)),
    "real": (Limit(10, 10, 0.0), Limit(100, 200, 60.0)),
}
"""Where every function was called often enough; where one was not."""


class CallLimits(object):
    """Counts the calls of each function and the calls since the last news."""

    def __init__(self, calls: str, max_calls: int) -> None:
        self.max_calls = max_calls
        self.short, self.long = LIMITS[calls]
        self.counts = {}  # type: dict[int, int]
        self.signatures = {}  # type: dict[int, int]
        self.last = {}  # type: dict[int, int]
        self.changes = set()  # type: set[tuple[int, int, int]]
        self.told = []  # type: list[int]  # the functions that brought news, one for each piece of it
        self.heard = {}  # type: dict[int, int]  # how many pieces there were at a function's last call
        self.again = {}  # type: dict[int, int]
        self.shown = {}  # type: dict[int, int]  # the shapes of a function's last recorded call
        self.quiet = 0
        self.since = time.time()

    def _news(self, function: int) -> None:
        self.quiet = 0
        self.since = time.time()
        self.told.append(function)

    def _again(self, function: int, shapes: int, hands_out: int) -> bool:
        """Whether another function brought news since the last call of this one, or would find something else now than this one's last
        recorded call left, or the script may hold what it hands out; that is so `SIGNATURES` times at most with the calls of new shapes,
        or as often as `hands_out` says.
        """
        others = any(f != function for f in self.told[self.heard.get(function, 0) :])
        if not others and not hands_out and (len(self.counts) < 2 or self.shown.get(function) == shapes):
            return False
        self.again[function] = self.again.get(function, 0) + 1
        return self.again[function] + self.signatures.get(function, 0) <= max(SIGNATURES, hands_out)

    def compiled(self, function: int) -> None:
        """A new function appeared."""
        self.counts[function] = self.signatures[function] = 0
        self._news(function)

    def dropped(self, function: int) -> None:
        """A function is gone: nobody waits for its calls."""
        self.counts.pop(function, None)

    def _changed(self, function: int, shapes: int) -> bool:
        """Whether these shapes follow for the first time on those of the call before."""
        change = (function, self.last.get(function, shapes), shapes)
        self.last[function] = shapes
        new = change[1] != shapes and change not in self.changes
        if new:
            self.changes.add(change)
        return new

    def called(self, function: int, new_shapes: bool, shapes: int = 0, hands_out: int = 0) -> bool:
        """Counts a call whose table of shapes has the number `shapes`; returns whether it is to be recorded.

        `hands_out`: 0 unless the script gets device arrays, which stay for as long as it holds them; else so many calls to record.
        """
        count = self.counts[function] = self.counts.get(function, 0) + 1
        if self._changed(function, shapes) or new_shapes:
            self.signatures[function] = self.signatures.get(function, 0) + 1
            new_shapes = self.signatures[function] <= SIGNATURES
        news = new_shapes or count <= self.max_calls
        recorded = news or self._again(function, shapes, hands_out)
        if news:
            self._news(function)
        else:
            self.quiet += 1
        self.heard[function] = len(self.told)
        if recorded:
            self.shown[function] = shapes
        return recorded

    @property
    def enough(self) -> bool:
        """Whether the script may be stopped now."""
        limit = self.short if all(n >= self.max_calls for n in self.counts.values()) else self.long
        if self.quiet < limit.least:
            return False
        return self.quiet >= limit.most or time.time() - self.since >= limit.seconds
