"""Ends a script of which enough was seen: finally blocks and atexit functions still run; one that swallows the end is ended by os._exit."""

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
