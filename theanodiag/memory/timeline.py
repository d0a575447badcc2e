"""The timeline of a call: what is live and what is reserved, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from .heap import Heap
from .profile import Step


@dataclass
class Recorder:
    """Notes the highest live bytes of each step as it ends."""

    store: Heap
    steps: list[Step] = field(default_factory=list)

    def after(self, step: int, node: int | None) -> None:
        """A step ended."""
        pool, high = self.store.allocator, self.store.mark()
        reserved = pool.reserved
        kept = (0, 0) if reserved == pool.live else (pool.free_bytes(), pool.largest_free())
        # tuple.__new__ takes half the time of Step(...)
        self.steps.append(tuple.__new__(Step, (step, node, high, reserved, *kept)))


def worst_gap(steps: Iterable[Step]) -> Step | None:
    """The step at which most is reserved but not live: there a preallocation has most to save."""
    return max(steps, key=lambda s: s.reserved_bytes - s.live_bytes, default=None)


def most_scattered(steps: Iterable[Step]) -> Step | None:
    """The step at which most of what is free lies outside of the largest piece."""
    return max(steps, key=lambda s: s.scattered_bytes, default=None)
