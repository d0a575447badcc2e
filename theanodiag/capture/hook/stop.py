"""Ends a script that showed enough: finally blocks and atexit functions run; one that swallows the end is ended for good."""

import os
import signal
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live
    from .stream import Stream

SWALLOWS = __name__.rpartition(".")[0] + ".garbage"
"""Where CPython prints what is raised, and goes on: what it calls while it searches for garbage."""
AGAIN = 0.02
"""Seconds until the signal comes again, if it came there."""
TIMES = 20
"""How often a script may swallow the end."""
GRACE = 30.0
"""Seconds for its finally blocks and atexit functions."""


class Stopper(object):
    """Raises the end, a SystemExit, and makes sure of it. `reason` tells that it was ours."""

    def __init__(self, stream: "Stream", finish: "Callable[[], None]") -> None:
        self.stream = stream
        self.finish = finish
        self.reason = None  # type: str | None
        self.raised = 0

    def stop(self, reason: str) -> None:
        """Ends the script. In a forked child the runner is asked to do it, since its parent may wait for it."""
        if self.stream.forked:
            self.stream.mark("stop")
            return
        self.reason, self.raised = reason, self.raised + 1
        if self.raised == 1:
            self._watch()
        if self.raised > TIMES:
            self.force()
        raise SystemExit(0)  # quiet in threads, where no subclass of it would be, and passes through `except Exception`

    def listen(self) -> None:
        """Takes the runner's SIGTERM as a wish for the end, so that it is an orderly one too."""
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
        """Writes what is left to write and leaves without asking the script."""
        self.finish()
        os._exit(0)

    def _watch(self) -> None:
        def wait() -> None:
            time.sleep(GRACE)
            self.force()

        thread = threading.Thread(target=wait)
        thread.daemon = True
        thread.start()
