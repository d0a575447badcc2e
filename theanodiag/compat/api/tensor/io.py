"""Serves `theano.tensor.io`: arrays read from disk, without MPI, as in a Theano without mpi4py."""

from typing import Any

from ...ops.load import LoadFromDisk

mpi_enabled = False


def load(path: Any, dtype: Any, broadcastable: Any, mmap_mode: Any = None) -> Any:
    """Array that LoadFromDisk reads from the .npy file named by `path`, a string or a generic Variable."""
    return LoadFromDisk(dtype, broadcastable, mmap_mode)(path)
