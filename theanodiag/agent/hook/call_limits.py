"""Decides which calls are recorded, and when the script may be stopped.

A call is news if its function was called fewer than `max_calls` times before, or if its shapes are new, or new right after those of the
call before (with allow_gc=False a call begins with what the last one left). Shapes are news up to `SIGNATURES` times a function, since a
shape that grows at every call would be news for ever. A new function is news too.

Also recorded, though no news, are: a call before which another function brought news (what that left is live while this one runs again, as
in the second epoch of a training); a call of other shapes than the function's last recorded one; and a call that hands out device arrays,
which the script may hold.

The script is stopped after a number of consecutive calls without news: few where every function was called `max_calls` times, many where
one was not (a validation function is often called only after a long loop), and fewer if these calls take long. Where two runs are compared
(`counted`), seconds do not count, so that both stop at the same call, and a number of calls in all may end them sooner.

Of a script that is stopped, finally blocks and atexit functions still run; one that swallows the end is ended by os._exit.
"""

import os
import signal
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .stream import Stream


SIGNATURES = 32
"""How many new shapes of one function are recorded."""
COLLECTED = 1024
"""How many calls are recorded of a function whose device arrays the script keeps in a list."""


class Limit(object):
    """Stop after `most` consecutive calls without news, or after `least` of them once `seconds` have passed since the last news."""

    def __init__(self, least: int, most: int, seconds: float) -> None:
        self.least = least
        self.most = most
        self.seconds = seconds


LIMITS = {
    "dry": (Limit(20, 1000, 5.0), Limit(100, 5000, 30.0)),
    "real": (Limit(10, 10, 0.0), Limit(100, 200, 60.0)),
}
"""For dry and real calls: the limit where every function was called `max_calls` times, and the one where some function was not."""


class CallLimits(object):
    """Counts the calls of each function and the consecutive calls without news."""

    def __init__(self, calls: str, max_calls: int, counted: "dict[str, int | None] | None" = None) -> None:
        self.max_calls = max_calls
        self.short, self.long = LIMITS[calls]
        self.most = None  # type: int | None  # calls of all functions after which the script is stopped
        if counted is not None:
            self.short, self.long = [Limit(limit.most, limit.most, 0.0) for limit in (self.short, self.long)]
            self.most = counted.get("most")
        self.total = 0
        self.counts = {}  # type: dict[int, int]
        self.signatures = {}  # type: dict[int, int]
        self.last = {}  # type: dict[int, int]
        self.changes = set()  # type: set[tuple[int, int, int]]
        self.news = []  # type: list[int]  # the function of each piece of news, in order
        self.heard = {}  # type: dict[int, int]  # len(news) at each function's last call
        self.again = {}  # type: dict[int, int]
        self.shown = {}  # type: dict[int, int]  # the shapes of a function's last recorded call
        self.quiet = 0
        self.since = time.time()

    def _news(self, function: int) -> None:
        self.quiet = 0
        self.since = time.time()
        self.news.append(function)

    def _again(self, function: int, shapes: int, hands_out: int) -> bool:
        """Whether a call that is no news is recorded all the same, as the module says; at most `SIGNATURES` times together with the calls
        of new shapes, or `hands_out` times.
        """
        others = any(f != function for f in self.news[self.heard.get(function, 0) :])
        if not others and not hands_out and (len(self.counts) < 2 or self.shown.get(function) == shapes):
            return False
        self.again[function] = self.again.get(function, 0) + 1
        return self.again[function] + self.signatures.get(function, 0) <= max(SIGNATURES, hands_out)

    def compiled(self, function: int) -> None:
        """Notes that a function was compiled, which is news."""
        self.counts[function] = self.signatures[function] = 0
        self._news(function)

    def dropped(self, function: int) -> None:
        """Notes that a function was freed: its calls are no longer waited for."""
        self.counts.pop(function, None)

    def _changed(self, function: int, shapes: int) -> bool:
        """Whether these shapes follow on those of the function's call before for the first time."""
        change = (function, self.last.get(function, shapes), shapes)
        self.last[function] = shapes
        new = change[1] != shapes and change not in self.changes
        if new:
            self.changes.add(change)
        return new

    def called(self, function: int, new_shapes: bool, shapes: int = 0, hands_out: int = 0) -> bool:
        """Counts a call; returns whether it is to be recorded.

        `new_shapes`: whether its shape table is new; `shapes`: the table's number. `hands_out`: 0 if the script gets no device arrays from
        it, else the most such calls to record.
        """
        self.total += 1
        if self.too_many:
            return False
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
        self.heard[function] = len(self.news)
        if recorded:
            self.shown[function] = shapes
        return recorded

    @property
    def too_many(self) -> bool:
        """Whether the last call is one more than the script may make in all."""
        return self.most is not None and self.total > self.most

    @property
    def enough(self) -> bool:
        """Whether the script may be stopped now."""
        if self.too_many:
            return True
        limit = self.short if all(n >= self.max_calls for n in self.counts.values()) else self.long
        if self.quiet < limit.least:
            return False
        return self.quiet >= limit.most or time.time() - self.since >= limit.seconds


SWALLOWS = __name__.rpartition(".")[0] + ".garbage"
"""Name of the module whose functions CPython calls during garbage collection: an exception raised there is printed and lost."""
AGAIN = 0.02
"""Seconds after which the signal is sent again, if it came during garbage collection."""
TIMES = 20
"""How often a script may catch our SystemExit before it is ended by os._exit."""
GRACE = 30.0
"""Seconds that its finally blocks and atexit functions may take."""


class Stopper(object):
    """Raises SystemExit in the script, and makes sure that the process ends. `reason` says why; None while it was not stopped."""

    def __init__(self, stream: "Stream", finish: "Callable[[], None]") -> None:
        self.stream = stream
        self.finish = finish
        self.reason = None  # type: str | None
        self.raised = 0

    def stop(self, reason: str) -> None:
        """Ends the script. In a forked child the runner is asked instead, since the parent may be waiting for the child."""
        if self.stream.forked:
            self.stream.mark("stop")
            return
        self.reason, self.raised = reason, self.raised + 1
        if self.raised == 1:
            self._watch()
        if self.raised > TIMES:
            self.force()
        raise SystemExit(0)  # threads print nothing of it (but of a subclass they do), and `except Exception` does not catch it

    def listen(self) -> None:
        """Handles the runner's SIGTERM, so that the script then ends in order too, unless the script has a handler of its own."""
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def _terminated(self, number: int, frame: "Live") -> None:
        if frame is not None and frame.f_globals.get("__name__") == SWALLOWS:
            again = threading.Timer(AGAIN, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
        elif self.stream.forked:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            self.reason = self.reason or "it was asked to end"
            raise SystemExit(0)

    def force(self) -> None:
        """Writes the last events and ends the process at once."""
        self.finish()
        os._exit(0)

    def _watch(self) -> None:
        def wait() -> None:
            time.sleep(GRACE)
            self.force()

        thread = threading.Thread(target=wait)
        thread.daemon = True
        thread.start()
