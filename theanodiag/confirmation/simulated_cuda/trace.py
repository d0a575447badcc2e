"""Parses the trace of the simulated device: one event per line, in the order in which they happened. Sizes in bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union


@dataclass(frozen=True)
class DriverAlloc:
    """A block allocated by libgpuarray from the driver."""

    address: int
    nbytes: int
    live: int
    """Bytes allocated from the driver after it."""


@dataclass(frozen=True)
class DriverFree:
    """A block of the driver freed by libgpuarray."""

    address: int
    nbytes: int
    live: int
    """Bytes allocated from the driver after it."""


@dataclass(frozen=True)
class DriverRefused:
    """A block refused by the driver: out of memory."""

    nbytes: int
    live: int


@dataclass(frozen=True)
class ClientAlloc:
    """A buffer allocated by a client of libgpuarray."""

    address: int
    asked: int
    """Bytes that the client requested."""
    held: int
    """Bytes that libgpuarray reserved for it."""
    live: int
    """Bytes that all clients hold after it."""


@dataclass(frozen=True)
class ClientFree:
    """A buffer freed by a client of libgpuarray."""

    address: int
    held: int
    live: int


@dataclass(frozen=True)
class ClientRefused:
    """A client's request refused by libgpuarray: out of memory."""

    asked: int
    live: int


@dataclass(frozen=True)
class Mark:
    """A line that the traced program wrote itself by calling `virtual_mark`."""

    text: str


TraceEvent = Union[DriverAlloc, DriverFree, DriverRefused, ClientAlloc, ClientFree, ClientRefused, Mark]

READERS: dict[str, Callable[[list[str]], TraceEvent]] = {
    "alloc": lambda w: DriverAlloc(int(w[2], 16), int(w[3]), int(w[4])),
    "free": lambda w: DriverFree(int(w[2], 16), int(w[3]), int(w[4])),
    "oom": lambda w: DriverRefused(int(w[2]), int(w[3])),
    "galloc": lambda w: ClientAlloc(int(w[3], 16), int(w[4]), int(w[5]), int(w[6])),
    "gfree": lambda w: ClientFree(int(w[3], 16), int(w[4]), int(w[5])),
    "goom": lambda w: ClientRefused(int(w[2]), int(w[3])),
    "mark": lambda w: Mark(" ".join(w[1:])),
}
"""First word of a line -> parser of its words; lines with other first words are no events."""


def read_trace(path: Path) -> Iterator[TraceEvent]:
    """Yields the events of a trace file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] in READERS:
                yield READERS[words[0]](words)
