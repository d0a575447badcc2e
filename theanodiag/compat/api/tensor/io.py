"""theano.tensor.io: arrays read from disk. There is no MPI here, as in a Theano without mpi4py."""

from typing import Any

from ...ops.load import LoadFromDisk

mpi_enabled = False


def load(path: Any, dtype: Any, broadcastable: Any, mmap_mode: Any = None) -> Any:
    """The array in the file whose name a generic Variable holds."""
    return LoadFromDisk(dtype, broadcastable, mmap_mode)(path)
