"""The order of the rows in an epoch, and which rows each chunk holds.

Rows are shuffled by stripes, runs of neighbouring rows that are read at once: the stripes of the whole source are put into a random order,
each chunk takes the next rows of that order, and within a chunk all rows are shuffled once more. With stripes of one row that is a shuffle
of the whole source.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .chunk_size import Cut

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Order:
    """The order of the rows in one epoch; the same for equal seed and epoch."""

    cut: Cut
    epoch: int
    seed: int | None = None
    """None: the rows keep the order of the source."""
    stripe: int = 1
    """Neighbouring rows that are read at once when rows are shuffled."""

    def rows(self, chunk: int) -> NDArray[Any]:
        """Indices of the source's rows in a chunk, in their order in the variable."""
        import numpy

        first, last = chunk * self.cut.chunk, min((chunk + 1) * self.cut.chunk, self.cut.rows)
        if self.seed is None:
            return numpy.arange(first, last)
        found: NDArray[Any] = self._generator(1 + chunk).permutation(self._drawn(first, last))
        return found

    def _drawn(self, first: int, last: int) -> NDArray[Any]:
        """The rows at positions `first` to `last` in the shuffled order of stripes."""
        import numpy

        starts, ends = self._stripes
        a, b = int(numpy.searchsorted(ends, first, "right")), int(numpy.searchsorted(ends, last, "left")) + 1
        length = numpy.diff(ends[a:b], prepend=ends[a - 1] if a else 0)
        rows = numpy.repeat(starts[a:b], length) + numpy.arange(length.sum()) - numpy.repeat(numpy.cumsum(length) - length, length)
        skipped = first - (int(ends[a - 1]) if a else 0)
        found: NDArray[Any] = rows[skipped : skipped + last - first]
        return found

    @cached_property
    def _stripes(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """First row of each stripe in shuffled order, and the position at which each stripe ends."""
        import numpy

        starts = self._generator(0).permutation(numpy.arange(0, self.cut.rows, self.stripe))
        return starts, numpy.cumsum(numpy.minimum(self.stripe, self.cut.rows - starts))

    def _generator(self, what: int) -> Any:
        import numpy

        return numpy.random.default_rng([self.seed or 0, self.epoch, what])
