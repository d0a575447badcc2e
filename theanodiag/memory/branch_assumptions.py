"""Which branches lazy nodes (IfElse) take where their conditions are not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 6
"""Of more lazy nodes in one function than these the others do as the last one does."""


@dataclass
class BranchAssumptions:
    """One for all functions of a process, and for the inner functions of those."""

    taken: int = 0
    """A bit for each lazy node by its position in its graph: set where it takes its second branch."""
    turns: Sequence[int] = ()
    """What `taken` is in one step of a loop after the other, where steps do not guess the same."""
    made: int = 0
    """How often a condition was not known."""
    widest: int = 0
    """So many lazy nodes, counted from the first of a graph, had conditions that were not known."""

    def takes_first(self, position: int) -> bool:
        """Whether the lazy node at that position takes its first branch; counts as a guess."""
        position = min(position, WIDEST - 1)
        self.made += 1
        self.widest = max(self.widest, position + 1)
        return not self.taken >> position & 1

    def worth_trying(self) -> tuple[int, ...]:
        """What `taken` may be: all as the first guess, all the other way, and each of the nodes alone unlike the others.

        Up to three nodes that is every combination; of a chain of conditions, however long, it is every branch.
        """
        every = (1 << self.widest) - 1
        alone = [1 << position for position in range(self.widest)]
        return tuple(dict.fromkeys([0, every, *alone, *(every ^ bit for bit in alone)]))
