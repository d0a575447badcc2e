"""The interface of allocators, which serve requests out of blocks that they take from a driver."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Grant(NamedTuple):
    """Where a request was served, and how many bytes it occupies."""

    address: int
    """Address of the first byte."""
    held: int
    """Bytes that the request occupies, rounding included."""


class BlockSource(Protocol):
    """A driver, as allocators see it."""

    def take(self, nbytes: int) -> int | None:
        """Address of a new block of `nbytes`, or None where there is no room."""

    def give(self, address: int) -> int:
        """Returns the block at `address` to the driver; its size in bytes."""


class Allocator(Protocol):
    """Serves and releases requests; all counters are in bytes."""

    reserved: int
    """Bytes taken from the driver and not returned."""
    live: int
    """Bytes held by requests that were served and not released."""
    driver_requests: int
    """Number of requests to the driver, refused ones included."""

    def allocate(self, nbytes: int) -> Grant | None:
        """Serves a request for `nbytes`; None where that is not possible."""

    def release(self, address: int) -> None:
        """Frees what was granted at `address`."""

    def free_bytes(self) -> int:
        """Bytes reserved but not live."""

    def largest_free(self) -> int:
        """Size of the largest request that can be served without asking the driver."""


def fragmentation(allocator: Allocator) -> float:
    """1 - largest free block / all free bytes: 0 where one request can have it all, or nothing is free."""
    free = allocator.free_bytes()
    return 1 - allocator.largest_free() / free if free else 0.0
