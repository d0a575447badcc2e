"""Ends a script that showed enough: finally blocks and atexit functions run; one that swallows the end is ended for good."""

import os
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .stream import Stream

TIMES = 20
"""How often a script may swallow the end."""
GRACE = 30.0
"""Seconds for its finally blocks and atexit functions."""


class ScriptStopped(SystemExit):
    """Raised in the script. A SystemExit, so that it is quiet in threads and passes through `except Exception`."""


class Stopper(object):
    """Raises the end, and makes sure of it."""

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
        raise ScriptStopped(0)

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
