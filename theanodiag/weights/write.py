"""Writes arrays in formats that contain only arrays, and verifies the result by reading it back."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UnreadableError
from .collect import Weight
from .hdf5 import needed

FORMATS = ("npz", "safetensors")
"""Values of `--to`; each is also the file name suffix."""
LONGEST = 200
"""Maximum length of a name in characters: with `.npy` it must be a valid file name on all systems."""
_RESERVED = {"npz": (), "safetensors": ("__metadata__",)}


def stored_names(weights: Sequence[Weight], to: str) -> dict[str, str]:
    """Returns name of each array -> its unique name in an output file of the format `to`.

    A name is unchanged unless the format or an unpacker would interpret it differently: as a path out of the folder, a reserved word, or
    characters that cannot be written.
    """
    plain = {w.name for w in weights if _stored(w.name, to) == w.name}
    names: dict[str, str] = {}
    taken = set(plain)
    for w in weights:
        name = _stored(w.name, to)
        if w.name not in plain:
            name, base, n = name, name, 1
            while name in taken:
                n += 1
                name = f"{base}~{n}"
            taken.add(name)
        names[w.name] = name
    return names


def _stored(name: str, to: str) -> str:
    """`name` in a form that the file format takes as a name: characters and parts that it does not take are replaced."""
    stored = "".join(c if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF else f"%{ord(c):x}" for c in name)
    stored = "/".join("_" * max(1, len(part)) if part in ("", ".", "..") else part for part in stored.split("/")).replace("\\", "_") or "_"
    if stored.endswith(".npy"):
        stored = f"{stored[:-4]}_npy"
    if stored in _RESERVED[to] or (stored[1:2] == ":" and stored[0].isalpha()):
        stored = f"_{stored}".replace(":", "_", 1)
    if len(stored.encode()) > LONGEST:
        rest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        stored = f"{stored.encode()[: LONGEST - 20].decode('utf-8', 'ignore')}~{rest}"
    return stored


def encoded(weights: Sequence[Weight], to: str, names: Mapping[str, str]) -> bytes:
    """Returns the content of a file of the format `to` with the arrays, under the names that `stored_names` returned. The content is read
    back and compared.

    Raises UnreadableError for arrays that the format cannot hold.
    """
    numpy = needed("numpy")
    arrays = {names[w.name]: w.array for w in weights}
    assert len(arrays) == len(weights)
    data = _npz(numpy, arrays) if to == "npz" else _safetensors(numpy, arrays)
    _compared(numpy, arrays, data, to)
    return data


def _npz(numpy: Any, arrays: Mapping[str, Any]) -> bytes:
    """The arrays as a file in the format of numpy.savez, which itself takes the names of its own arguments for no arrays' names."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True) as member:
                numpy.lib.format.write_array(member, array, allow_pickle=False)
    return out.getvalue()


def _safetensors(numpy: Any, arrays: Mapping[str, Any]) -> bytes:
    save = needed("safetensors.numpy").save
    try:
        return bytes(save({name: numpy.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}))
    except Exception as error:  # KeyError or its own error: a dtype that the format lacks
        dtypes = sorted({str(array.dtype) for array in arrays.values()})
        message = f"safetensors does not hold one of these: {', '.join(dtypes)} ({type(error).__name__}: {error})"
        raise UnreadableError(message, help="write npz, which holds all of them") from None


def _compared(numpy: Any, arrays: Mapping[str, Any], data: bytes, to: str) -> None:
    """Raises UnreadableError unless the file holds these arrays, each bit of them, and no other."""
    if to == "npz":
        with numpy.load(io.BytesIO(data), allow_pickle=False) as file:
            names = sorted(file.files)
            different = names != sorted(arrays) or any(not _same(numpy, file[name], array) for name, array in arrays.items())
    else:
        read = needed("safetensors.numpy").load(data)
        different = sorted(read) != sorted(arrays) or any(not _same(numpy, read[name], array) for name, array in arrays.items())
    if different:
        raise UnreadableError(
            "the output does not contain the same arrays when read back; nothing was written", help="report it with the file"
        )


def _same(numpy: Any, one: Any, other: Any) -> bool:
    if one.dtype != other.dtype or one.shape != other.shape:
        return False
    left, right = (numpy.ascontiguousarray(a).reshape(-1).view("u1") for a in (one, other))
    return bool(numpy.array_equal(left, right))
