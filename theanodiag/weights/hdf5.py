"""Reads HDF5 files as written by Keras and by users of Lasagne: each numeric dataset under its path in the file. Links are not followed."""

from __future__ import annotations

import importlib
import io
from typing import Any

from ..errors import UnreadableError, UsageError
from .objects import Budget, Damaged, StoredArray

MAGIC = b"\x89HDF\r\n\x1a\n"
MOST_OFFSET = 1 << 20
"""Greatest offset in bytes at which the content of a file is searched."""


def begins(data: bytes) -> bool:
    """Returns whether `data` is an HDF5 file, possibly with a user block before it, which ends at a power of two from 512 on."""
    at = 0
    while at <= min(len(data), MOST_OFFSET):
        if data.startswith(MAGIC, at):
            return True
        at = at * 2 or 512
    return False


def datasets(data: bytes, budget: Budget) -> tuple[list[tuple[str, StoredArray]], list[tuple[str, str]]]:
    """Returns the numeric datasets of an HDF5 file as (path, array), and the skipped ones as (path, reason).

    Raises UsageError if h5py is missing, Damaged if the file cannot be read.
    """
    h5py = needed("h5py")
    arrays: list[tuple[str, StoredArray]] = []
    left: list[tuple[str, str]] = []
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            _walk(h5py, file, budget, arrays, left)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise Damaged(f"{error}".splitlines()[0] if str(error) else type(error).__name__) from None
    return arrays, left


def _walk(h5py: Any, root: Any, budget: Budget, arrays: list[tuple[str, StoredArray]], left: list[tuple[str, str]]) -> None:
    """Reads the arrays of all groups. Each group is read once, though hard links may make a circle."""
    seen, todo = set[bytes](), [("", root)]
    while todo:
        prefix, group = todo.pop(0)
        for name in group:
            budget.step(100)
            path = f"{prefix}/{name}" if prefix else str(name)
            link = group.get(name, getlink=True)
            if not isinstance(link, h5py.HardLink):
                left.append((path, "a link to elsewhere, which is not followed"))
                continue
            item = group[name]
            info = h5py.h5o.get_info(item.id)
            key = b"%d %d" % (info.fileno, info.addr)
            if key in seen:
                left.append((path, "another name of what is listed already"))
                continue
            seen.add(key)
            if isinstance(item, h5py.Group):
                todo.append((path, item))
            elif isinstance(item, h5py.Dataset):
                _dataset(item, path, budget, arrays, left)


def _dataset(item: Any, path: str, budget: Budget, arrays: list[tuple[str, StoredArray]], left: list[tuple[str, str]]) -> None:
    if item.dtype.kind not in "biufc" or item.shape is None:
        left.append((path, f"of {item.dtype}"[:80] if item.shape is not None else "empty"))
    elif item.external or item.is_virtual:
        left.append((path, "its numbers are in another file"))
    else:
        budget.unpack(item.size * item.dtype.itemsize)
        array = StoredArray()
        array.member, array.ready = path, item[()]
        arrays.append((path, array))


def needed(name: str) -> Any:
    """Imports an optional package. Raises UsageError with how to install it, or UnreadableError if it is installed but cannot be
    imported.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        package = name.partition(".")[0]
        if error.name not in (package, name):
            raise UnreadableError(f"{name} does not load: {error}", help="try it in another environment") from None
        raise UsageError(f"{package} is not installed", help="pip install 'theanodiag[weights]'") from None
    except (ImportError, MemoryError, OSError) as error:
        raise UnreadableError(f"{name} does not load: {error}", help="give this process more memory, or another environment") from None
