"""Arrays in files that are no pickles: HDF5 (Keras) and npz (numpy.savez)."""

from __future__ import annotations

import importlib
import io
import zipfile
from typing import Any

from ..errors import UnreadableError, UsageError
from .collect import Weight, collect, kernel_note
from .unpickler import MOST, load, needed

_HDF5 = b"\x89HDF\r\n\x1a\n"
_ZIP = b"PK\x03\x04"


def weights(data: bytes, path: str) -> tuple[Weight, ...]:
    """The arrays of numbers in a file: HDF5, npz or a pickle.

    Raises UnreadableError for what is none of these or refused, UsageError where the package that reads it is missing.
    """
    if data.startswith(_HDF5):
        return _of_hdf5(data, path)
    if data.startswith(_ZIP):
        return _of_npz(data, path)
    return collect(load(data, path))


def _of_hdf5(data: bytes, path: str) -> tuple[Weight, ...]:
    """Each dataset of numbers under its path in the file; links to other files are not followed."""
    try:
        h5py: Any = importlib.import_module("h5py")
    except ImportError:
        raise UsageError("h5py is not installed, which reads HDF5", help="pip install h5py") from None
    found: list[Weight] = []
    left = MOST

    def visit(name: str, item: Any) -> None:
        nonlocal left
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "biufc" and not item.external and not item.is_virtual:
            left -= item.size * item.dtype.itemsize
            if left < 0:
                raise UnreadableError("its arrays are larger than 8 GiB", path=path, help="convert it where it was made")
            found.append(_weight(name, "dataset", item[()]))

    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            file.visititems(visit)
    except (OSError, RuntimeError, KeyError, ValueError) as error:
        raise UnreadableError(f"this is no HDF5, or a damaged one: {error}", path=path, help="fetch it once more") from None
    return tuple(found)


def _of_npz(data: bytes, path: str) -> tuple[Weight, ...]:
    """Each array of numbers under its name; objects, which are pickles inside, are left out."""
    numpy: Any = needed("numpy")
    found: list[Weight] = []
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
            if sum(entry.file_size for entry in names) > MOST:
                raise UnreadableError("its arrays are larger than 8 GiB", path=path, help="convert it where it was made")
            for entry in names:
                array = _numbers(numpy, archive.read(entry))
                if array is not None:
                    found.append(_weight(entry.filename[: -len(".npy")], "array", array))
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise UnreadableError(f"this is no npz, or a damaged one: {error}", path=path, help="fetch it once more") from None
    return tuple(found)


def _numbers(numpy: Any, data: bytes) -> Any:
    """The array in a npy file; None for one of objects or texts."""
    file = io.BytesIO(data)
    version = numpy.lib.format.read_magic(file)
    read = numpy.lib.format.read_array_header_1_0 if version == (1, 0) else numpy.lib.format.read_array_header_2_0
    if read(file)[2].kind not in "biufc":
        return None
    return numpy.load(io.BytesIO(data), allow_pickle=False)


def _weight(name: str, origin: str, array: Any) -> Weight:
    return Weight(name, name, origin, array, kernel_note(name, array))
