"""Reads rows from sources: arrays, `.npy` files, h5py Datasets, and any object that gives slices of its rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import files
from ..errors import UnreadableError, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK_BYTES = 16 << 20
"""The most bytes of one read, so that reading needs little memory beside the chunk."""
STRIPE_BYTES = 64 << 10
"""Shorter reads of a file take about as long as one of this many bytes."""


@dataclass(frozen=True)
class Source:
    """A source of rows that are read in blocks."""

    name: str
    """For messages: path or type of the source."""
    data: Any
    """The array, memory map, Dataset or other object that is indexed by rows."""
    shape: tuple[int, ...]
    dtype: Any
    stripe: int
    """Number of neighbouring rows that are best read at once."""
    picks: bool
    """Whether rows can be read by a sorted array of indices; if not, by slices only."""
    check: Callable[[], None] = lambda: None
    """Raises OSError if the source has changed since it was opened."""

    @property
    def row_bytes(self) -> int:
        """Returns the bytes of one row, in the dtype of the source."""
        return int(self.dtype.itemsize * _product(self.shape[1:]))

    def read(self, rows: NDArray[Any], into: NDArray[Any]) -> None:
        """Reads row `rows[k]` into `into[k]` for each k. Raises `UnreadableError` with the range of rows that failed."""
        import numpy

        order = numpy.argsort(rows, kind="stable")
        for places, wanted, key in self._pieces(rows[order], order):
            try:
                self.check()
                part = numpy.asarray(self.data[key])
                expected = (len(wanted), *self.shape[1:])
                if part.shape != expected:
                    raise ValueError(f"the source gave {part.shape} instead of {expected}")
                if part.dtype.newbyteorder("=") != self.dtype.newbyteorder("="):
                    raise ValueError(f"the source gave {part.dtype} instead of {self.dtype}, which it said it has")
                into[places] = converted(part, into.dtype)
            except Exception as reason:
                raise self._failed(int(wanted[0]), int(wanted[-1]), reason) from reason

    def _failed(self, first: int, last: int, reason: Exception) -> UnreadableError:
        message = f"{type(reason).__name__}: {reason}" if str(reason) else type(reason).__name__
        return UnreadableError(f"rows {first} to {last} of {self.name} could not be read: {message}")

    def _pieces(self, rows: NDArray[Any], order: NDArray[Any]) -> Iterator[tuple[NDArray[Any], NDArray[Any], Any]]:
        """Divides sorted rows into blocks: (their places in the target, their indices, the key by which the source is indexed)."""
        import numpy

        most = max(1, BLOCK_BYTES // max(1, self.row_bytes))
        ends = [] if self.picks else (numpy.flatnonzero(numpy.diff(rows) != 1) + 1).tolist()
        bounds = [0, *ends, len(rows)]
        for begin, end in zip(bounds, bounds[1:]):
            for k in range(begin, end, most):
                wanted = rows[k : min(k + most, end)]
                one_run = int(wanted[-1]) - int(wanted[0]) + 1 == len(wanted)
                key = slice(int(wanted[0]), int(wanted[-1]) + 1) if one_run else wanted
                yield order[k : k + len(wanted)], wanted, key


def converted(part: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Converts the rows `part` to `dtype`. Raises ValueError if an integer does not fit into it."""
    array: NDArray[Any] = part.astype(dtype, copy=False)
    if part.dtype.kind in "iu" and dtype.kind in "iu" and not (array == part).all():
        worst = part[array != part].flat[0]
        raise ValueError(f"{worst} does not fit into {dtype}")
    return array


def open_source(source: Any) -> Source:
    """Returns the Source for an array, a path or any object with shape, dtype and slices.

    Raises `UsageError` for an object without rows, `UnreadableError` if it cannot be opened.
    """
    import numpy

    if isinstance(source, (str, os.PathLike)):
        return _file(os.fspath(source))
    if isinstance(source, (list, tuple)):
        source = numpy.asarray(source)
    shape, dtype = getattr(source, "shape", None), getattr(source, "dtype", None)
    if not isinstance(shape, tuple) or not shape or dtype is None or not hasattr(source, "__getitem__"):
        what = f"{type(source).__module__}.{type(source).__name__}"
        raise UsageError(f"{what} gives no rows", help="give an array, the path of a .npy file, or an object with shape, dtype and slicing")
    kind = _numeric(numpy.dtype(dtype), _name(source))
    shape = tuple(int(d) for d in shape)
    if isinstance(source, numpy.ndarray):
        stripe = _stripe(shape, kind) if isinstance(source, numpy.memmap) else 1
        return Source(_name(source), source, shape, kind, stripe, picks=True)
    chunks = getattr(source, "chunks", None)
    least = chunks[0] if isinstance(chunks, tuple) and chunks and isinstance(chunks[0], int) else 1
    stripe = -(-_stripe(shape, kind) // least) * least
    return Source(_name(source), source, shape, kind, stripe, picks=False)


def _file(path: str) -> Source:
    """The Source for a `.npy` file, mapped into memory."""
    import numpy

    if not path.endswith(".npy"):
        advice = "open it with h5py and give the Dataset" if path.endswith((".h5", ".hdf5")) else "save it with numpy.save"
        raise UsageError(f"{path} is not a .npy file", help=advice)
    try:
        files.require_file(path)
        before = _state(path)
        data = numpy.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as reason:
        raise UnreadableError(f"it cannot be mapped into memory: {reason}", path=path) from reason
    if not data.ndim:
        raise UsageError(f"{path} holds a single number, no rows")

    def unchanged() -> None:
        """Raises OSError if the file was replaced, truncated or written to. Reading a map beyond the end of its file would kill the process
        (SIGBUS).
        """
        now = _state(path)
        if now[:2] != before[:2]:
            raise OSError("it was replaced by another file after it was opened")
        if now[2] != before[2]:
            raise OSError(f"the file had {before[2]} bytes when it was opened and has {now[2]} now")
        if now != before:
            raise OSError("the file was written to after it was opened")

    return Source(path, data, data.shape, _numeric(data.dtype, path), _stripe(data.shape, data.dtype), picks=True, check=unchanged)


def _state(path: str) -> tuple[int, int, int, int]:
    """(device, inode, size, time of modification) of a file."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _numeric(dtype: Any, name: str) -> Any:
    if dtype.kind not in "biufc":
        raise UsageError(f"{name} is of dtype {dtype}, which no tensor has")
    return dtype


def _stripe(shape: tuple[int, ...], dtype: Any) -> int:
    row = int(dtype.itemsize) * _product(shape[1:])
    return max(1, STRIPE_BYTES // max(1, row))


def _name(source: Any) -> str:
    """The source's name for messages: h5py's file and dataset, numpy's file, else type and shape."""
    file = getattr(getattr(source, "file", None), "filename", None) or getattr(source, "filename", None)
    inside = getattr(source, "name", None)
    parts = [str(p) for p in (file, inside) if isinstance(p, (str, os.PathLike))]
    return ":".join(parts) or f"{type(source).__name__} {source.shape}"


def _product(sizes: tuple[int, ...]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product
