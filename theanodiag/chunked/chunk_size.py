"""Chooses the size of a chunk: the largest multiple of the batch whose arrays fit into the budget. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import UsageError
from ..units import format_bytes

ROUND_BYTES = 64
"""libgpuarray rounds each array up to a multiple of this many bytes. Source: libgpuarray 0.7.6, src/private_cuda.h, `FRAG_SIZE`."""


@dataclass(frozen=True)
class Cut:
    """The division of a source into chunks of equal size."""

    rows: int
    """Number of rows of the source."""
    chunk: int
    """Rows per chunk; a multiple of `batch`."""
    batch: int
    """Rows per batch."""

    @property
    def chunks(self) -> int:
        """Chunks per epoch; the last one may end in padding rows."""
        return -(-self.rows // self.chunk)


def chunk_bytes(rows: int, row_bytes: Sequence[int], arrays: int = 1) -> int:
    """Bytes of `arrays` copies of a chunk of `rows` rows of each source, each rounded up as the allocator does; `row_bytes`: bytes per row.

    >>> chunk_bytes(10, [4, 400])
    4096
    """
    return arrays * sum(max(ROUND_BYTES, -(-rows * size // ROUND_BYTES) * ROUND_BYTES) for size in row_bytes)


def cut(rows: int, row_bytes: Sequence[int], budget: int, batch: int | None = None, arrays: int = 1) -> Cut:
    """Divides sources of `rows` rows, of `row_bytes` bytes each, into chunks of which `arrays` copies fit into `budget` bytes.

    Without `batch` each chunk is one batch. Raises `UsageError` where not even one batch fits.

    >>> cut(1000, [400], 100_000, batch=32)
    Cut(rows=1000, chunk=224, batch=32)
    """
    if rows < 1:
        raise UsageError("the source has no rows")
    if batch is not None and batch < 1:
        raise UsageError(f"a batch of {batch} rows makes no sense", help="give a number of rows above 0, or None for whole chunks")
    step = batch or 1
    most = step * _most(-(-rows // step), lambda n: chunk_bytes(n * step, row_bytes, arrays) <= budget)
    if not most:
        what = f"a batch of {batch} rows" if batch else "one row"
        need = chunk_bytes(step, row_bytes, arrays)
        twice = " (on the host twice: the chunk in use and the next one)" if arrays > 1 else ""
        raise UsageError(
            f"{what} takes {format_bytes(need)} ({need} bytes){twice}, the budget is {format_bytes(budget)}",
            help="give a larger budget or a smaller batch",
        )
    return Cut(rows, most, batch or most)


def _most(high: int, fits: Callable[[int], bool]) -> int:
    """The largest n up to `high` for which `fits(n)`, by bisection; 0 where not even 1 fits."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
