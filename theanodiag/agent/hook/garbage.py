"""Deletions by CPython's cyclic garbage collector, whose timing depends on the number of objects in the process.

A variable, its owner and the function compiled for it form a reference cycle, so the collector frees most of what a script drops. It runs
at other moments in each run of the same script, and this process holds more objects than the script's own run. A deletion by an automatic
collection is therefore marked `collected` (uncertain). After LATER more full collections it is certain: the script's own run has as many in
the long term, at other calls. A deletion by a collection that the script itself starts (`gc.collect()`) is certain. An uncertain deletion
also becomes certain by such collections: after one for a function, after DEEP for what its graph holds (`functions.out_of_sight`).

Source: CPython, Modules/gcmodule.c (`gc_collect_generations`: a full collection when the new long-lived objects exceed a quarter of the old
ones). CPython 2.7 has no collector callbacks: its deletions count as the script's own.
"""

import functools
import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .stream import Stream

FULL = 2
"""Number of the oldest generation, which a full collection covers."""
LATER = 2
"""After this many further full collections, the script's own run has deleted the object too.

Full collections by the functions compiled so far, Theano 1.0.5 with Keras 2.3.1 on CPython 3.11: InceptionV3 in its own run 13, 69, 129,
190, 261, 325, 378, 378 and then 32 in the training function, here 21, 89, 169, 253, 341, 378, 378 and then 31; VGG16 12 or 11 and four in
the training function, here 18 and four.
"""
DEEP = 3
"""Number of collections after which everything is freed that a function's graph holds, also the graph of a loop inside of it."""


class Searches(object):
    """Tracks whether the garbage collector is running, and whether the script started it."""

    def __init__(self) -> None:
        self.running = False
        self.by_script = 0  # nesting of the calls of `gc.collect` by the script
        self.full = 0
        self.waiting = []  # type: list[UncertainDeletion]

    def install(self) -> None:
        """Registers the collector's callback and wraps `gc.collect`."""
        callbacks = getattr(gc, "callbacks", None)
        if callbacks is not None:
            callbacks.append(self.phase)
            gc.collect = self.collecting(gc.collect)

    def phase(self, phase: str, info: "dict[str, int]") -> None:
        """The callback in `gc.callbacks`: records the start or end of a collection."""
        self.running = phase == "start"
        if not self.running and info["generation"] == FULL:
            self.full += 1
            self.tell(lambda waiting: waiting.collection + LATER <= self.full)

    def tell(self, is_certain: "Callable[[UncertainDeletion], bool]") -> None:
        """Writes the pending deletions for which `is_certain` is true, without the mark `collected`."""
        certain = [waiting for waiting in self.waiting if is_certain(waiting)]
        self.waiting = [waiting for waiting in self.waiting if not is_certain(waiting)]
        for waiting in certain:
            waiting.tell()

    def collecting(self, original: "Callable[..., int]") -> "Callable[..., int]":
        """Wraps `gc.collect`, so that collections started by the script are distinguished from automatic ones."""

        @functools.wraps(original)
        def collect(generation: int = FULL) -> int:
            self.by_script += 1
            try:
                unreachable = original(generation)
            finally:
                self.by_script -= 1
            if generation == FULL:
                for waiting in self.waiting:
                    waiting.left -= 1
                self.tell(lambda waiting: waiting.left <= 0)
            return unreachable

        return collect

    def ended(self, stream: "Stream", event: str, **fields: object) -> None:
        """Writes the event of a deletion. If an automatic collection caused the deletion, the event is marked `collected`, and written
        again without the mark when it is certain.
        """
        tell = functools.partial(stream.emit, event, **fields)
        if self.running and not self.by_script:
            self.waiting.append(UncertainDeletion(self.full + 1, 1 if event == "release" or "function" in fields else DEEP, tell))
            tell(collected=True)
        else:
            tell()


class UncertainDeletion(object):
    """A deletion by an automatic collection, which is not certain yet; `tell` writes its event again when it is."""

    def __init__(self, collection: int, left: int, tell: "Callable[[], None]") -> None:
        self.collection = collection  # number of the full collection that caused it, or of the next one
        self.left = left  # this many more `gc.collect()` of the script make it certain
        self.tell = tell


SEARCHES = Searches()
"""The only instance of `Searches` in this process."""
