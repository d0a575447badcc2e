"""What an allocator is: it serves requests out of blocks that it takes from a driver."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Grant(NamedTuple):
    """A request that was served."""

    address: int
    held: int
    """Bytes that the request occupies, rounding included."""


class BlockSource(Protocol):
    """The driver, as an allocator sees it."""

    def take(self, nbytes: int) -> int | None:
        """Address of a new block of `nbytes`, or None where there is no room."""

    def give(self, address: int) -> int:
        """Return the block at `address`; its bytes."""


class Allocator(Protocol):
    """Serves and takes back requests; all counters are in bytes."""

    reserved: int
    """Taken from the driver and not given back."""
    live: int
    """Held by requests that were served and not released."""
    driver_requests: int
    """How often the driver was asked, in vain or not."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Serve a request, or None where that is not possible."""

    def release(self, address: int) -> None:
        """Take back what was granted at `address`."""

    def free_bytes(self) -> int:
        """Reserved, not live."""

    def largest_free(self) -> int:
        """The largest request that fits without asking the driver."""


def fragmentation(allocator: Allocator) -> float:
    """1 - largest free block / all that is free: 0 where one request can have it all (and where nothing is free)."""
    free = allocator.free_bytes()
    return 1 - allocator.largest_free() / free if free else 0.0
