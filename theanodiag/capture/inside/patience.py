"""Decides which calls are worth recording and when enough was seen.

A call brings news if its function was called fewer than `max_calls` times before, or if its shapes were not seen before (up to
`SIGNATURES` times a function: a shape that grows at every call would be news for ever). A new function is news too. The script is
stopped after a number of consecutive calls without news: few where every function was called `max_calls` times, many where one was
not (a validation function is often called after a long loop only). Counts, not seconds: the same script stops at the same place.
"""

SIGNATURES = 32
QUIET = {"dry": (100, 1000), "real": (10, 200)}  # (all functions called often enough, some not); real calls take real time


class Patience(object):
    """Counts the calls of each function and the calls since the last news."""

    def __init__(self, calls: str, max_calls: int) -> None:
        self.max_calls = max_calls
        self.short, self.long = QUIET[calls]
        self.counts = {}  # type: dict[int, int]
        self.signatures = {}  # type: dict[int, int]
        self.quiet = 0

    def compiled(self, function: int) -> None:
        """A new function appeared."""
        self.counts[function] = self.signatures[function] = self.quiet = 0

    def dropped(self, function: int) -> None:
        """A function is gone: nobody waits for its calls."""
        self.counts.pop(function, None)

    def called(self, function: int, new_shapes: bool) -> bool:
        """Counts a call; returns whether it brings news."""
        count = self.counts[function] = self.counts.get(function, 0) + 1
        if new_shapes:
            self.signatures[function] = self.signatures.get(function, 0) + 1
            new_shapes = self.signatures[function] <= SIGNATURES
        news = new_shapes or count <= self.max_calls
        self.quiet = 0 if news else self.quiet + 1
        return news

    @property
    def enough(self) -> bool:
        """Whether the script may be stopped now."""
        complete = all(n >= self.max_calls for n in self.counts.values())
        return self.quiet >= (self.short if complete else self.long)
