"""The trace of the simulated device: one event a line, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Union


@dataclass(frozen=True)
class DriverAlloc:
    """The driver gave a block to libgpuarray."""

    address: int
    nbytes: int
    live: int
    """Bytes given out after it."""


@dataclass(frozen=True)
class DriverFree:
    """A block went back to the driver."""

    address: int
    nbytes: int
    live: int


@dataclass(frozen=True)
class DriverRefused:
    """The driver had no room."""

    nbytes: int
    live: int


@dataclass(frozen=True)
class ClientAlloc:
    """libgpuarray served a client."""

    address: int
    asked: int
    held: int
    live: int
    """Bytes that clients hold after it."""


@dataclass(frozen=True)
class ClientFree:
    """A client gave a buffer back."""

    address: int
    held: int
    live: int


@dataclass(frozen=True)
class ClientRefused:
    """libgpuarray could not serve a client."""

    asked: int
    live: int


@dataclass(frozen=True)
class Mark:
    """A line that the traced program wrote itself (`virtual_mark`)."""

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
"""First word of a line -> how the line is read; lines with other words say what is not an event."""


def read_trace(path: Path) -> Iterator[TraceEvent]:
    """The events of a trace file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] in READERS:
                yield READERS[words[0]](words)
