"""What CPython's search for garbage ends: at a time that depends on how many objects the process has, or when the script asks for it.

A variable, its owner and the function that was compiled for it refer to each other, so most of what a script drops waits for a search.
When the next one is differs from run to run of the same script, and here there are other objects than in the script's own run; what it
finds here is therefore marked as found by chance. As far as was seen LATER more full ones end it for certain: in the script's own run they
come at other calls, yet as often in the long run. What a search that the script asks for itself (`gc.collect()`) finds is certain; what was
found by chance before is so after one more for a function, after DEEP for what its graph holds (`dry_linker.out_of_sight`).
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
LATER = 2
"""So many full searches after the one that found something, the script's own run has found it too. Full searches by the functions
compiled so far, Theano 1.0.5 with Keras 2.3.1 on CPython 3.11: InceptionV3 in its own run 13, 69, 129, 190, 261, 325, 378, 378 and then
32 in the training function, here 21, 89, 169, 253, 341, 378, 378 and then 31; VGG16 12 or 11 and four in the training function, here 18 and
four.
"""
DEEP = 3
"""So many searches end what the graph of a function holds, in the graph of a loop inside of it too."""


class Searches(object):
    """Knows whether a search for garbage is running, and who asked for it."""

    def __init__(self) -> None:
        self.running = False
        self.asked = 0
        self.full = 0
        self.waiting = []  # type: list[Waiting]

    def install(self) -> None:
        """Listens from now on."""
        callbacks = getattr(gc, "callbacks", None)
        if callbacks is not None:
            callbacks.append(self.phase)
            gc.collect = self.collecting(gc.collect)

    def phase(self, phase: str, info: "dict[str, int]") -> None:
        """CPython begins or ends a search."""
        self.running = phase == "start"
        if not self.running and info["generation"] == FULL:
            self.full += 1
            self.tell(lambda waiting: waiting.found + LATER <= self.full)

    def tell(self, is_certain: "Callable[[Waiting], bool]") -> None:
        """Writes again what is certain now."""
        told = [waiting for waiting in self.waiting if is_certain(waiting)]
        self.waiting = [waiting for waiting in self.waiting if not is_certain(waiting)]
        for waiting in told:
            waiting.tell()

    def collecting(self, original: "Callable[..., int]") -> "Callable[..., int]":
        """`gc.collect`, of which the script says itself when it is."""

        @functools.wraps(original)
        def collect(generation: int = FULL) -> int:
            self.asked += 1
            try:
                found = original(generation)
            finally:
                self.asked -= 1
            if generation == FULL:
                for waiting in self.waiting:
                    waiting.left -= 1
                self.tell(lambda waiting: waiting.left <= 0)
            return found

        return collect

    def ended(self, stream: "Stream", event: str, **fields: object) -> None:
        """Writes that something ended; what was found by chance is marked `collected`, and written again once it is certain."""
        tell = functools.partial(stream.emit, event, **fields)
        if self.running and not self.asked:
            self.waiting.append(Waiting(self.full + 1, 1 if event == "release" or "function" in fields else DEEP, tell))
            tell(collected=True)
        else:
            tell()


class Waiting(object):
    """Something that was found by chance."""

    def __init__(self, found: int, left: int, tell: "Callable[[], None]") -> None:
        self.found = found  # number of the full search, or of the next one
        self.left = left  # so many searches that the script asks for make it certain
        self.tell = tell


SEARCHES = Searches()
"""Those of this process."""
