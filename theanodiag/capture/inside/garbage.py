"""What CPython's search for garbage ends: at a time that depends on how many objects the process has, or when the script asks for it.

A variable, its owner and the function that was compiled for it refer to each other, so most of what a script drops waits for a search.
When the next one is differs from run to run of the same script, and here there are other objects than in the script's own run; what it
finds here is therefore marked as found by chance. A search that the script asks for itself (`gc.collect()`) ends it for certain.
Source: CPython, Modules/gcmodule.c (`gc_collect_generations`: a full search once a fourth of the long-lived objects are new).
CPython 2.7 does not tell of its searches: there what they end counts as ended by the script.
"""

import functools
import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .stream import Stream

FULL = 2
"""The oldest generation."""


class Searches(object):
    """Knows whether a search for garbage is running, and who asked for it."""

    def __init__(self) -> None:
        self.running = False
        self.asked = 0
        self.waiting = []  # type: list[Callable[[], None]]

    def install(self) -> None:
        """Listens from now on."""
        callbacks = getattr(gc, "callbacks", None)
        if callbacks is not None:
            callbacks.append(self.phase)
            gc.collect = self.collecting(gc.collect)

    def phase(self, phase: str, info: "dict[str, int]") -> None:
        """CPython begins or ends a search."""
        self.running = phase == "start"

    def collecting(self, original: "Callable[..., int]") -> "Callable[..., int]":
        """`gc.collect`, after which all that was found by chance before is gone for certain."""

        @functools.wraps(original)
        def collect(generation: int = FULL) -> int:
            self.asked += 1
            try:
                found = original(generation)
            finally:
                self.asked -= 1
            if generation == FULL:
                waiting, self.waiting = self.waiting, []
                for tell in waiting:
                    tell()
            return found

        return collect

    def ended(self, stream: "Stream", event: str, **fields: object) -> None:
        """Writes that something ended; what was found by chance is marked `collected`, and written again once it is certain."""
        tell = functools.partial(stream.emit, event, **fields)
        if self.running and not self.asked:
            self.waiting.append(tell)
            tell(collected=True)
        else:
            tell()


SEARCHES = Searches()
"""Those of this process."""
