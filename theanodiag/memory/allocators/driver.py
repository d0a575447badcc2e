"""The driver of a device: how much there is, and at which address a new block comes to lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortedcontainers import SortedDict  # type: ignore[import-untyped]

from ..settings import AddressPolicy

ALIGNMENT = 512
"""cuMemAlloc's alignment of addresses. Source: the texture alignment that CUDA documents for every device since 2.0."""
BASE = 1 << 45
TOP = 1 << 1000
"""Where blocks begin that are placed downwards, so that no address is below 0 whatever is asked for."""


@dataclass(frozen=True)
class Shortage:
    """A request that did not fit."""

    asked: int
    taken: int
    """Bytes taken when it was made."""
    limit: int


@dataclass
class Driver:
    """A device of `limit` bytes (None: without end).

    With `strict` a request that does not fit is refused; else it is noted in `shortage` (the first one only) and served,
    so that the need becomes known.
    """

    limit: int | None = None
    policy: AddressPolicy = AddressPolicy.UP
    strict: bool = False
    taken: int = 0
    shortage: Shortage | None = None
    refusals: int = 0
    """How many requests did not fit."""
    blocks: dict[int, int] = field(init=False)
    """Address -> size of every block; by address where the policy looks for gaps."""
    edge: int = BASE
    """End of the used address range: its upper one, or with `DOWN` its lower one."""

    def __post_init__(self) -> None:
        self.blocks = SortedDict() if self.policy is AddressPolicy.FIRST_FIT else {}
        if self.policy is AddressPolicy.DOWN:
            self.edge = TOP

    def take(self, nbytes: int) -> int | None:
        """A new block of `nbytes`."""
        if self.limit is not None and self.taken + nbytes > self.limit:
            self.refusals += 1
            self.shortage = self.shortage or Shortage(nbytes, self.taken, self.limit)
            if self.strict:
                return None
        address = self._place(nbytes)
        self.blocks[address] = nbytes
        self.taken += nbytes
        return address

    def give(self, address: int) -> int:
        """The block at `address` goes back to the device; its bytes."""
        nbytes = self.blocks.pop(address)
        self.taken -= nbytes
        return nbytes

    def _place(self, nbytes: int) -> int:
        if self.policy is AddressPolicy.FIRST_FIT:
            return self._first_fit(nbytes)
        if self.policy is AddressPolicy.DOWN:
            self.edge = (self.edge - nbytes) // ALIGNMENT * ALIGNMENT
            return self.edge
        address = self.edge
        self.edge = _aligned(address + nbytes)
        return address

    def _first_fit(self, nbytes: int) -> int:
        address = BASE
        for start, size in self.blocks.items():
            if start - address >= nbytes:
                break
            address = _aligned(start + size)
        return address


def _aligned(address: int) -> int:
    return -(-address // ALIGNMENT) * ALIGNMENT
