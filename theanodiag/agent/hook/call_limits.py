"""Decides which calls are recorded and when the script may be stopped.

A call brings news if its function was called fewer than `max_calls` times before, if its shapes are new, or if they directly follow the
shapes of the previous call for the first time (with allow_gc=False, memory of the previous call is still held). New shapes count at most
`SIGNATURES` times for each function, because a shape may grow at every call. A newly compiled function is news too.

Three kinds of calls without news are recorded as well: a call after another function brought news (its memory is live while this one runs
again, as in the second epoch of a training); a call whose shapes differ from the function's last recorded call; and a call that returns
device arrays, which the script may keep.

The script is stopped after a number of consecutive calls without news: a small number once every function was called `max_calls` times,
else a large one (a validation function is often called only after a long loop), and fewer if these calls take long. When two runs are
compared (`counted`), time is ignored so that both stop at the same call, and a limit on all calls together may stop them earlier.

A script of PyMC is stopped only after a minute without news: it may draw thousands of values one by one (`pymc.draw`) before it samples,
and what matters is the samplers' calls.

When a script is stopped, its finally blocks and atexit functions still run. A script that swallows the SystemExit is ended by os._exit.
"""

import os
import signal
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .stream import Stream


SIGNATURES = 32
"""Maximum number of new shapes that are recorded of one function."""
COLLECTED = 1024
"""Maximum number of calls recorded of a function whose device arrays the script keeps in a list."""


class Limit(object):
    """A limit on consecutive calls without news (see the module's docstring): the script is stopped after `most` of them, or after `least`
    of them if the last news is at least `seconds` old.
    """

    def __init__(self, least: int, most: int, seconds: float) -> None:
        self.least = least
        self.most = most
        self.seconds = seconds


LIMITS = {
    "dry": (Limit(20, 1000, 5.0), Limit(100, 5000, 30.0)),
    "real": (Limit(10, 10, 0.0), Limit(100, 200, 60.0)),
}
"""Kind of calls (dry or real) -> two limits: the one if every function was called `max_calls` times, and the one if some function was
not.
"""
PATIENT = Limit(1000, sys.maxsize, 60.0)
"""The limit for scripts that import PyMC."""


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

    def wait_for_samplers(self) -> None:
        """Sets the limit for scripts that import PyMC."""
        self.short = self.long = PATIENT

    def _news(self, function: int) -> None:
        self.quiet = 0
        self.since = time.time()
        self.news.append(function)

    def _again(self, function: int, shapes: int, hands_out: int) -> bool:
        """Whether a call that shows nothing new is recorded nevertheless (see the module's docstring): at most `SIGNATURES` times together
        with the calls of new shapes, or `hands_out` times.
        """
        others = any(f != function for f in self.news[self.heard.get(function, 0) :])
        if not others and not hands_out and (len(self.counts) < 2 or self.shown.get(function) == shapes):
            return False
        self.again[function] = self.again.get(function, 0) + 1
        return self.again[function] + self.signatures.get(function, 0) <= max(SIGNATURES, hands_out)

    def compiled(self, function: int) -> None:
        """Registers a newly compiled function. A new function counts as news."""
        self.counts[function] = self.signatures[function] = 0
        self._news(function)

    def dropped(self, function: int) -> None:
        """Forgets a function that was freed. It no longer counts as called too rarely for the script to be stopped."""
        self.counts.pop(function, None)

    def _changed(self, function: int, shapes: int) -> bool:
        """Whether the shapes of a function's previous call and these shapes follow one another for the first time."""
        change = (function, self.last.get(function, shapes), shapes)
        self.last[function] = shapes
        new = change[1] != shapes and change not in self.changes
        if new:
            self.changes.add(change)
        return new

    def called(self, function: int, new_shapes: bool, shapes: int = 0, hands_out: int = 0) -> bool:
        """Counts a call. Returns whether it must be recorded.

        `shapes` is the number of its shape table and `new_shapes` whether that table is new. `hands_out` is 0 if the script gets no device
        arrays from the function, else the maximum number of such calls to record.
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
        """Whether the script has made more calls than the limit on all calls together."""
        return self.most is not None and self.total > self.most

    @property
    def enough(self) -> bool:
        """Whether enough calls were recorded, so that the script may be stopped now."""
        if self.too_many:
            return True
        limit = self.short if all(n >= self.max_calls for n in self.counts.values()) else self.long
        if self.quiet < limit.least:
            return False
        return self.quiet >= limit.most or time.time() - self.since >= limit.seconds


SWALLOWS = __name__.rpartition(".")[0] + ".garbage"
"""Name of the module whose functions CPython calls during garbage collection: an exception raised in them is printed and lost."""
AGAIN = 0.02
"""Seconds after which the stop signal is sent again, if it came during garbage collection."""
TIMES = 20
"""Number of times that a script may catch our SystemExit before it is ended by os._exit."""
GRACE = 30.0
"""Seconds that the script's finally blocks and atexit functions may take."""


class Stopper(object):
    """Stops the script by raising SystemExit in it, and makes sure that the process ends. `reason` is None until the script is stopped."""

    def __init__(self, stream: "Stream", finish: "Callable[[], None]") -> None:
        self.stream = stream
        self.finish = finish
        self.reason = None  # type: str | None
        self.raised = 0

    def stop(self, reason: str) -> None:
        """Ends the script. In a forked child it requests this from the runner, because the parent may wait for the child."""
        if self.stream.forked:
            self.stream.mark("stop")
            return
        self.reason, self.raised = reason, self.raised + 1
        if self.raised == 1:
            later(GRACE, self.force)
        if self.raised > TIMES:
            self.force()
        raise SystemExit(0)  # threads print nothing of it (but of a subclass they do), and `except Exception` does not catch it

    def listen(self) -> None:
        """Installs a handler for the runner's SIGTERM that ends the script and writes the last events, unless the script has its own
        handler.
        """
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._terminated)

    def _terminated(self, number: int, frame: "Live") -> None:
        if frame is not None and frame.f_globals.get("__name__") == SWALLOWS:
            later(AGAIN, os.kill, os.getpid(), number)
        elif self.stream.forked:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
        else:
            self.reason = self.reason or "it was asked to end"
            raise SystemExit(0)

    def force(self) -> None:
        """Writes the last events and ends the process immediately."""
        self.finish()
        os._exit(0)


def later(seconds: float, function: "Callable[..., Live]", *args: "Live") -> None:
    """Calls a function after this time, in a thread for which the process does not wait."""
    timer = threading.Timer(seconds, function, args)
    timer.daemon = True
    timer.start()
