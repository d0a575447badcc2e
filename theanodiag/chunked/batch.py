"""One batch: where it lies in the chunk that the shared variable holds, and which rows of the source it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Batch:
    """Rows `start` to `stop` (without the latter) of the shared variable. It unpacks as `start, stop`.

    A graph that takes a batch of a fixed size by its number, `data[i * size:(i + 1) * size]`, gets `index` and weighs its rows by
    `mask`: the last batch of a chunk may be followed by rows that belong to nobody, and these are zeros.
    """

    start: int
    stop: int
    batch: int
    """How many rows a whole batch has."""
    chunk: int
    """Which chunk of this epoch it lies in, from 0."""
    epoch: int
    rows: NDArray[Any] = field(repr=False)
    """The numbers of its rows in the source, in their order in the variable."""

    @property
    def size(self) -> int:
        """How many rows it has: fewer than `batch` only at the end of the data."""
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        """`start` to `stop`."""
        return slice(self.start, self.stop)

    @property
    def index(self) -> int:
        """Its number in the chunk, from 0: `start` is `index * batch`."""
        return self.start // self.batch

    @property
    def mask(self) -> NDArray[Any]:
        """For each row of the window `start` to `start + batch` whether it belongs to this batch."""
        import numpy

        return numpy.arange(self.batch) < self.size

    def __iter__(self) -> Iterator[int]:
        return iter((self.start, self.stop))
