"""A model of the device's driver: how much memory there is, and at which address it places a new block."""

from __future__ import annotations

from dataclasses import dataclass, field

from sortedcontainers import SortedDict  # type: ignore[import-untyped]

from ..settings import AddressPolicy

ALIGNMENT = 512
"""Alignment of the addresses that cuMemAlloc returns, in bytes.

Source: the texture alignment that CUDA documents for every device since 2.0.
"""
BASE = 1 << 45
"""Lowest address of a block, where blocks are not placed downwards."""
TOP = 1 << 1000
"""Address below which blocks are placed downwards, so high that no address becomes negative."""


@dataclass(frozen=True)
class Shortage:
    """The first request that did not fit, in bytes."""

    requested: int
    """Bytes asked for."""
    taken: int
    """Bytes taken when the request was made."""
    limit: int
    """Bytes of the device."""


@dataclass
class Driver:
    """A device of `limit` bytes (None: unlimited).

    With `strict` a request that does not fit is refused; else it is served too, so that the need becomes known, and the first one is kept
    in `shortage`.
    """

    limit: int | None = None
    """Bytes of the device; None: unlimited."""
    policy: AddressPolicy = AddressPolicy.UP
    """Where new blocks are placed."""
    strict: bool = False
    """Whether requests that do not fit are refused."""
    taken: int = 0
    """Bytes in blocks now."""
    shortage: Shortage | None = None
    """The first request that did not fit."""
    refusals: int = 0
    """Number of requests that did not fit."""
    blocks: dict[int, int] = field(init=False)
    """Address -> size of every block; sorted by address where the policy is FIRST_FIT."""
    edge: int = BASE
    """End of the used address range: the upper one, or with `DOWN` the lower one."""

    def __post_init__(self) -> None:
        self.blocks = SortedDict() if self.policy is AddressPolicy.FIRST_FIT else {}
        if self.policy is AddressPolicy.DOWN:
            self.edge = TOP

    def take(self, nbytes: int) -> int | None:
        """Address of a new block of `nbytes`; None where it does not fit and `strict` holds."""
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
        """Takes the block at `address` back; its size in bytes."""
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
