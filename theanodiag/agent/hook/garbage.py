"""Deletions by CPython's cyclic garbage collector, whose moment depends on how many objects the process has, unless the script calls it.

A variable, its owner and the function compiled for it form a reference cycle, so most of what a script drops is freed by the collector.
When it runs differs between runs of the same script, and this process holds other objects than the script's own run does; a deletion that a
collection causes here is therefore marked `collected` (uncertain). After LATER more full collections it is certain: in the script's own run
they come at other calls, yet as often in the long run. A collection that the script itself asks for (`gc.collect()`) deletes for certain;
an uncertain deletion becomes certain after one of them for a function, after DEEP for what its graph holds (`dry_linker.out_of_sight`).

Source: CPython, Modules/gcmodule.c (`gc_collect_generations`: a full collection once a fourth of the long-lived objects are new). CPython
2.7 has no callbacks of the collector: its deletions count as the script's own.
"""

import functools
import gc

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .stream import Stream

FULL = 2
"""The oldest generation, which a full collection covers."""
LATER = 2
"""After this many further full collections, the script's own run has deleted the object too.

Full collections by the functions compiled so far, Theano 1.0.5 with Keras 2.3.1 on CPython 3.11: InceptionV3 in its own run 13, 69, 129,
190, 261, 325, 378, 378 and then 32 in the training function, here 21, 89, 169, 253, 341, 378, 378 and then 31; VGG16 12 or 11 and four in
the training function, here 18 and four.
"""
DEEP = 3
"""This many collections free what a function's graph holds, also the graph of a loop inside of it."""


class Searches(object):
    """Knows whether the collector is running and whether the script called it."""

    def __init__(self) -> None:
        self.running = False
        self.by_script = 0  # nesting of the calls of `gc.collect` by the script
        self.full = 0
        self.waiting = []  # type: list[Waiting]

    def install(self) -> None:
        """Registers the callback of the collector and wraps `gc.collect`."""
        callbacks = getattr(gc, "callbacks", None)
        if callbacks is not None:
            callbacks.append(self.phase)
            gc.collect = self.collecting(gc.collect)

    def phase(self, phase: str, info: "dict[str, int]") -> None:
        """Notes the beginning or end of a collection; the callback in `gc.callbacks`."""
        self.running = phase == "start"
        if not self.running and info["generation"] == FULL:
            self.full += 1
            self.tell(lambda waiting: waiting.collection + LATER <= self.full)

    def tell(self, is_certain: "Callable[[Waiting], bool]") -> None:
        """Writes, without `collected`, the deletions that are certain by now, as `is_certain` says."""
        certain = [waiting for waiting in self.waiting if is_certain(waiting)]
        self.waiting = [waiting for waiting in self.waiting if not is_certain(waiting)]
        for waiting in certain:
            waiting.tell()

    def collecting(self, original: "Callable[..., int]") -> "Callable[..., int]":
        """`gc.collect` wrapped: collections that the script asks for are told apart from automatic ones."""

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
        """Writes a deletion. One by an automatic collection is marked `collected`, and written again once it is certain."""
        tell = functools.partial(stream.emit, event, **fields)
        if self.running and not self.by_script:
            self.waiting.append(Waiting(self.full + 1, 1 if event == "release" or "function" in fields else DEEP, tell))
            tell(collected=True)
        else:
            tell()


class Waiting(object):
    """An uncertain deletion; `tell` writes it once it is certain."""

    def __init__(self, collection: int, left: int, tell: "Callable[[], None]") -> None:
        self.collection = collection  # number of the full collection that caused it, or of the next one
        self.left = left  # this many more `gc.collect()` of the script make it certain
        self.tell = tell


SEARCHES = Searches()
"""The only instance in this process."""
