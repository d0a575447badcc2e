"""Reads pickles of Python 2 and 3 without running what they name: arrays are kept as bytes, all else as a record of what it said.

Sources: Theano 1.0.5 (gpuarray/type.py, `GpuArray_unpickler`) and 0.9 (sandbox/cuda/type.py, `CudaNdarray_unpickler`); numpy's
`ndarray.__reduce__` and `dtype.__reduce__`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import pickle
import re
import zlib
from collections import OrderedDict
from typing import Any

from ..errors import UnreadableError, UsageError

MOST = 8 << 30
"""Bytes of a file, and of what is unpacked of it."""
_SYSTEM = """os posix nt subprocess sys shutil socket ctypes runpy importlib pty commands popen2 code codeop webbrowser
multiprocessing signal asyncio threading pickle _pickle cPickle marshal types inspect builtins __builtin__ operator
_operator pip setuptools platform tempfile pathlib io urllib urllib2 http"""
_REFUSED = frozenset(_SYSTEM.split())
"""Modules of which nothing belongs in a model but what `_PLAIN` has: a pickle that names something else of them is hostile."""
_BUILTINS: tuple[Any, ...] = (set, frozenset, complex, list, dict, tuple, slice, str, object)
_PLAIN: dict[tuple[str, str], Any] = {
    **{(module, kind.__name__): kind for module in ("builtins", "__builtin__") for kind in _BUILTINS},
    ("__builtin__", "unicode"): str,
    ("collections", "OrderedDict"): OrderedDict,
    ("theano.compat.python2x", "OrderedDict"): OrderedDict,
}
_RECONSTRUCTORS = (("copy_reg", "_reconstructor"), ("copyreg", "_reconstructor"))
_ON_DEVICE = ("CudaNdarray_unpickler", "GpuArray_unpickler")
_NUMPY = ("numpy", "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric", "numpy._core.numeric")


class Dtype:
    """A dtype of numpy as its pickle writes it."""

    def __init__(self, text: object = "", *_: object) -> None:
        self.text = str(text)
        self.order = "="

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.order = str(state[1])

    @property
    def plain(self) -> str | None:
        """As numpy takes it, `<f4`; None for what is no number, no boolean and no object."""
        return f"{self.order}{self.text}" if re.fullmatch(r"[biufcO]\d{0,2}", self.text) else None


class Array:
    """An array of numpy: its bytes, and what they mean."""

    def __init__(self, *_: object) -> None:
        self.shape: tuple[int, ...] = ()
        self.dtype = Dtype()
        self.fortran = False
        self.data: object = b""

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) >= 4:
            _, shape, dtype, fortran, data = state if len(state) == 5 else (1, *state)
            self._set(data, dtype, shape, fortran)

    def _set(self, data: object, dtype: object, shape: object, fortran: object) -> None:
        if not isinstance(shape, tuple) or not all(isinstance(n, int) and n >= 0 for n in shape) or not isinstance(dtype, Dtype):
            raise ValueError("an array without shape or dtype")
        self.shape, self.dtype, self.fortran = shape, dtype, bool(fortran)
        self.data = data.encode("latin1") if isinstance(data, str) else data

    @classmethod
    def of_buffer(cls, data: object, dtype: object, shape: object, order: object = "C") -> Array:
        """What protocol 5 writes."""
        made = cls()
        made._set(bytes(data) if isinstance(data, (bytes, bytearray)) else data, dtype, shape, order == "F")
        return made

    @classmethod
    def of_scalar(cls, dtype: object, data: object = b"") -> Array:
        """One number."""
        made = cls()
        made._set(data, dtype, (), False)
        return made


class Record:
    """An object of a class that is not imported: its name, what it was made of, and its state."""

    kind = ("", "")

    args: tuple[object, ...]
    state: object
    items: list[object]

    def __new__(cls, *args: object, **kwargs: object) -> Record:
        """Here, since newer protocols make objects without `__init__`."""
        made = super().__new__(cls)
        made.args, made.state, made.items = (*args, *kwargs.values()), None, []
        return made

    def __init__(self, *args: object, **kwargs: object) -> None:
        """All is done."""

    def __setstate__(self, state: object) -> None:
        self.state = state

    def append(self, item: object) -> None:
        """An item of a list that the object is."""
        self.items.append(item)

    def extend(self, items: list[object]) -> None:
        """Items of a list that the object is."""
        self.items.extend(items)

    def __setitem__(self, key: object, value: object) -> None:
        self.items.append((key, value))

    @property
    def name(self) -> str:
        """Full name of its class or function."""
        return ".".join(self.kind)

    def get(self, key: str) -> object:
        """What its state has under a name; None where there is nothing."""
        states = self.state if isinstance(self.state, tuple) else (self.state,)
        return next((s[key] for s in states if isinstance(s, dict) and key in s), None)


def _record(module: str, name: str) -> type[Record]:
    return type(name.rpartition(".")[2] or "Record", (Record,), {"kind": (module, name)})


class _Unpickler(pickle.Unpickler):
    """Resolves no name but those of numpy's arrays and of plain containers."""

    def __init__(self, file: io.BytesIO, path: str) -> None:
        super().__init__(file, encoding="latin1")
        self.path = path

    def find_class(self, module: str, name: str) -> Any:
        found = _PLAIN.get((module, name))
        if found is not None:
            return found
        if (module, name) in _RECONSTRUCTORS:
            return _reconstructed
        if (module, name) == ("_codecs", "encode"):
            return _encoded
        if module in ("builtins", "__builtin__") and name in ("bytes", "bytearray"):
            return _as_bytes
        if name in _ON_DEVICE:
            return _from_device
        if module in _NUMPY and name in _OF_NUMPY:
            return _OF_NUMPY[name]
        if module.partition(".")[0] in _REFUSED:
            help = "it is no saved model; leave it alone"
            raise UnreadableError(f"this pickle wants to call {module}.{name}: refused, nothing of it was run", path=self.path, help=help)
        return _record(module, name)

    def persistent_load(self, pid: object) -> object:
        """What another file held."""
        return _record("persistent", str(pid))()


def needed(name: str) -> Any:
    """A package that this part needs; raises UsageError with how to install it."""
    import importlib  # extras: only this command needs them

    try:
        return importlib.import_module(name)
    except ImportError:
        raise UsageError(f"{name} is not installed", help="pip install 'theanodiag[weights]'") from None


def _encoded(text: str, encoding: str = "latin1", *_: object) -> bytes:
    return text.encode("latin1") if encoding in ("latin1", "latin-1") else text.encode("utf-8")


def _as_bytes(data: object = b"", *_: object) -> bytes:
    """What `bytes` makes of bytes or a text; a number is refused, which would be a length."""
    if not isinstance(data, (bytes, bytearray, str, list)):
        raise ValueError(f"bytes of a {type(data).__name__}")
    return data.encode("latin1") if isinstance(data, str) else bytes(data)


def _from_device(array: object, *_: object) -> object:
    return array


def _reconstructed(cls: Any, *rest: Any) -> object:
    """What `copy_reg` makes of a class: an object without its `__init__`."""
    if isinstance(cls, type) and issubclass(cls, Record):
        return cls(*rest)
    if cls in (dict, list, tuple, set, frozenset, OrderedDict):
        return cls(*(r for r in rest[1:] if r is not None))
    return _record("copyreg", "object")(*rest)


def _new_array(*_: object) -> Array:
    return Array()


_OF_NUMPY: dict[str, Any] = {
    "ndarray": Array,
    "dtype": Dtype,
    "_reconstruct": _new_array,
    "scalar": Array.of_scalar,
    "_frombuffer": Array.of_buffer,
}
"""What stands for the names that pickles of arrays hold."""


def load(data: bytes, path: str) -> list[object]:
    """The objects that a file holds, one after the other. Raises UnreadableError for what is no pickle, is cut off, or is refused."""
    content = _unpacked(data, path)
    if not content:
        raise UnreadableError("the file is empty", path=path, help="name a file that pickle wrote")
    file = io.BytesIO(content)
    found: list[object] = []
    while file.tell() < len(file.getbuffer()):
        try:
            found.append(_Unpickler(file, path).load())
        except UnreadableError:
            raise
        except Exception as error:  # whatever a damaged pickle makes of the machine that reads it
            if found and isinstance(error, EOFError):
                break
            said = f"{type(error).__name__}: {error}"
            raise UnreadableError(f"this is no pickle, or a damaged one: {said}", path=path, help="name a file that pickle wrote") from None
    return found


def _unpacked(data: bytes, path: str) -> bytes:
    """The content of a file that gzip, bzip2 or joblib's zlib packed."""
    try:
        if data.startswith(b"\x1f\x8b"):
            with gzip.open(io.BytesIO(data)) as packed:
                return _bounded(packed.read(MOST + 1), path)
        if data.startswith(b"BZh"):
            return _bounded(bz2.BZ2Decompressor().decompress(data, MOST + 1), path)
        if data[:2] in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda"):
            return _bounded(zlib.decompressobj().decompress(data, MOST + 1), path)
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableError(f"the packed file is damaged: {error}", path=path, help="fetch it once more") from None
    return data


def _bounded(data: bytes, path: str) -> bytes:
    if len(data) > MOST:
        raise UnreadableError(f"it unpacks to more than {MOST >> 30} GiB", path=path, help="name a saved model")
    return data
