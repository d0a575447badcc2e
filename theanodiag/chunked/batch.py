"""One batch of rows: its place in the chunk that the shared variable holds, and its rows in the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Batch:
    """The rows `start` to `stop` (exclusive) of the shared variable; unpacks as `start, stop`.

    A graph that takes batches of a fixed size by number, `data[i * size:(i + 1) * size]`, gets `index` and multiplies by `mask`: behind the
    last batch of a chunk there may be padding rows of zeros.
    """

    start: int
    stop: int
    batch: int
    """Number of rows of a full batch."""
    chunk: int
    """Number of its chunk within the epoch, from 0."""
    epoch: int
    """Number of the epoch, from 0."""
    rows: NDArray[Any] = field(repr=False)
    """The indices of its rows in the source, in their order in the variable."""

    @property
    def size(self) -> int:
        """Number of rows; less than `batch` only in the last batch of the data."""
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        """`slice(start, stop)`."""
        return slice(self.start, self.stop)

    @property
    def index(self) -> int:
        """Number of the batch within its chunk, from 0: `start` is `index * batch`."""
        return self.start // self.batch

    @property
    def mask(self) -> NDArray[Any]:
        """Array of bool over the window `start` to `start + batch`: True for rows of this batch, False for padding."""
        import numpy

        return numpy.arange(self.batch) < self.size

    def __iter__(self) -> Iterator[int]:
        return iter((self.start, self.stop))
