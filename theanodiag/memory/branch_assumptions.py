"""Which branches IfElse nodes are assumed to take where their conditions are not known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDEST = 6
"""Number of IfElse nodes of one graph that get an assumption of their own; further ones share that of the last."""


@dataclass
class BranchAssumptions:
    """The assumed branches of one simulation, shared by all its functions and inner functions; counts how often they are used."""

    taken: int = 0
    """A bit for each IfElse node, by its position among those of its graph; set: the node takes its second branch."""
    turns: Sequence[int] = ()
    """Values of `taken` for the successive steps of a loop, used cyclically; empty: all steps use `taken`."""
    made: int = 0
    """How often a condition was not known so far."""
    widest: int = 0
    """Number of bits of `taken` that were used so far."""

    def takes_first(self, position: int) -> bool:
        """Whether the IfElse node number `position` of its graph is assumed to take its first branch; counts the use."""
        position = min(position, WIDEST - 1)
        self.made += 1
        self.widest = max(self.widest, position + 1)
        return not self.taken >> position & 1

    def worth_trying(self) -> tuple[int, ...]:
        """The values of `taken` to simulate: all first branches, all second branches, and each node alone unlike all others.

        For up to three nodes these are all combinations; for a chain of conditions of any length they take every branch.
        """
        every = (1 << self.widest) - 1
        alone = [1 << position for position in range(self.widest)]
        return tuple(dict.fromkeys([0, every, *alone, *(every ^ bit for bit in alone)]))
