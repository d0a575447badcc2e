"""ChunkedShared: one source in one shared variable, chunk after chunk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .group import ChunkedGroup


class ChunkedShared(ChunkedGroup):
    """A shared variable that holds one chunk of a source which is too large for the device.

    All chunks have the same shape, so that they are written in place; the last one is padded with rows of zeros, which no batch covers.

    Args:
        source: An array, the path of a `.npy` file (mapped into memory, read chunk by chunk), an h5py Dataset (read by slices), or any
            object with `shape`, `dtype` and slices of rows.
        budget: The most memory that the chunk may take where the variable is: bytes, or a text such as "1 GiB". On a device that is the
            chunk alone; the array into which it is read is on the host. Where the variable is on the host too (Aesara, PyTensor, Theano
            with device=cpu), that array counts as well, and the chunk is half as large.
        batch: Rows per batch; a chunk has as many rows as fit, a multiple of this. None: each chunk is one batch.
        dtype: The variable's dtype; "floatX" is the framework's; None: the source's.
        name: The variable's name; None: "data".
        shuffle_seed: Shuffles the rows of each epoch over all chunks, in the same order for the same seed and epoch. Rows of files are
            moved in runs of about 64 KiB, which are then shuffled within their chunk. None: in the order of the source.
        library: The framework's module or name; None: the imported one.

    Raises:
        UsageError: The budget is too small for one batch, or the dtype cannot hold the source's values.
        UnreadableError: The source cannot be read.

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
        """Several sources chunked together.

        Args:
            sources: Name -> source, such as `{"x": images, "y": labels}`.
            **options: Those of `ChunkedGroup`.

        Returns:
            The ChunkedGroup.
        """
        return ChunkedGroup(sources, **options)
