"""ChunkedShared: one source in one shared variable, chunk after chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .group import ChunkedGroup


class ChunkedShared(ChunkedGroup):
    """A shared variable that holds one chunk of a source which is too large for the device.

    `source` is an array, the path of a `.npy` file (mapped into memory, read chunk by chunk), an h5py Dataset (read by slices), or any
    object with `shape`, `dtype` and slices of rows. `budget`, bytes or a text such as "1 GiB", is the most memory that the chunk may
    take where the variable is. On a device that is the chunk alone; the array into which it is read is on the host. Where the variable
    is on the host too (Aesara, PyTensor, Theano with device=cpu), that array counts as well, and the chunk is half as large.

    A chunk has as many rows as fit, a multiple of `batch`; without `batch` each chunk is one batch. All chunks have the same shape, so
    that they are written in place; the last one is padded with rows of zeros, which no batch covers. `dtype` is the variable's, by
    default the source's; "floatX" is the framework's. With `shuffle_seed` the rows of each epoch are shuffled over all chunks, in the
    same order for the same seed and epoch; rows of files are moved in runs of about 64 KiB, which are then shuffled within their chunk.
    `library` is the framework's module or name, by default the imported one.

    >>> import numpy, sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> data = ChunkedShared(numpy.arange(1000, dtype="float32"), budget=4096, batch=100)
    >>> start, stop = lib.tensor.lscalars("start", "stop")
    >>> total = lib.function([start, stop], data.variable[start:stop].sum())
    >>> sum(float(total(*batch)) for batch in data.batches()) == sum(range(1000))
    True
    """

    def __init__(
        self,
        source: Any,
        *,
        budget: int | str,
        batch: int | None = None,
        dtype: Any = None,
        name: str | None = None,
        shuffle_seed: int | None = None,
        library: Any = None,
    ) -> None:
        self._name = name or "data"
        sources = {self._name: source}
        super().__init__(sources, budget=budget, batch=batch, dtype=dtype, shuffle_seed=shuffle_seed, library=library)

    @property
    def variable(self) -> Any:
        """The shared variable; it holds zeros until the first batch."""
        return self.variables[self._name]

    @staticmethod
    def group(sources: Mapping[str, Any], **options: Any) -> ChunkedGroup:
        """A ChunkedGroup of several sources, such as `{"x": images, "y": labels}`; `options` are those of `ChunkedGroup`."""
        return ChunkedGroup(sources, **options)
