"""Reads one weights file: detects its format and reads nested files; nothing that it names is imported or called."""

from __future__ import annotations

import bz2
import io
import lzma
import math
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from lzma import LZMAError
from typing import Protocol

from ..errors import TheanodiagError, UnreadableError
from . import hdf5
from .collect import Contents, LeftOut, Root, collect
from .objects import Budget, Damaged, Dtype, Global, Record, StoredArray, text_of
from .pickle_interpreter import ACTIONS, Machine, PickledCall, PickleServices, judged

MAGIC = b"\x93NUMPY"
LONGEST = 1 << 16
"""Maximum size of a header in bytes; NumPy itself accepts at most 10 000."""
_SHAPE = re.compile(r"'shape'\s*:\s*\(([0-9L,\s]*)\)")
_ORDER = re.compile(r"'fortran_order'\s*:\s*(True|False|0|1)\b")
_DTYPE = re.compile(r"'descr'\s*:\s*u?'([^'\\]*)'")
_FIELDS = re.compile(r"'descr'\s*:\s*\[")
_NUMBER = re.compile(r"[<>|=](?:[biufcSaVUmM]\d{1,9}(?:\[[\w/]{1,20}\])?|O\d?)|\?")


def header(data: bytes, at: int) -> tuple[StoredArray, int]:
    """Parses the npy header at byte `at`. Returns the array, still without its elements, and the offset of the elements. Raises Damaged."""
    version = data[at + 6 : at + 8]
    width = {b"\x01\x00": 2, b"\x02\x00": 4, b"\x03\x00": 4}.get(version)
    if width is None:
        raise Damaged("a version of npy that is not known, or the file is cut off")
    length = int.from_bytes(data[at + 8 : at + 8 + width], "little")
    start = at + 8 + width + length
    if length > LONGEST or start > len(data):
        raise Damaged(f"a header of {length} bytes" if length > LONGEST else "the file is cut off in its header")
    text = data[at + 8 + width : start].decode("utf-8" if version[0] == 3 else "latin1", "replace")
    shape, order, dtype = (form.findall(text) for form in (_SHAPE, _ORDER, _DTYPE))
    fields = _FIELDS.search(text) is not None
    if len(shape) != 1 or len(order) != 1 or len(dtype) + fields < 1 or not (fields or _NUMBER.fullmatch(dtype[0])):
        raise Damaged("a header that numpy does not write")
    array = StoredArray()
    lengths = [part.strip().rstrip("L") for part in shape[0].split(",")]
    if any(len(n) > 19 for n in lengths) or "" in lengths[:-1]:
        raise Damaged("a shape that no array has")
    plain = Dtype("V") if fields else Dtype(dtype[0].lstrip("<>|="), dtype[0][0] if dtype[0][0] in "<>|=" else "=")
    array.set(b"", plain, tuple(int(n) for n in lengths if n), order[0] in ("True", "1"))
    return array, start


def elements(data: bytes, array: StoredArray, start: int) -> int:
    """Sets the elements of an array, which begin at byte `start`. Returns the offset of their end. Raises Damaged if they are truncated.

    Only numpy can compute the size of records. For records, the end is the beginning of the next array of the file, or the end of the file.
    """
    size = array.dtype.itemsize
    if size is None or array.shape is None:
        following = data.find(MAGIC, start)
        return following if following >= 0 else len(data)
    count = math.prod(array.shape) * size
    if count > len(data) - start:
        raise Damaged(f"an array of {count} bytes with {len(data) - start}")
    array.data = memoryview(data)[start : start + count]
    return start + count


def is_wrapper(record: Record) -> bool:
    """Returns whether a record stands for a joblib array whose elements follow in the stream."""
    return record.kind.name == "NumpyArrayWrapper" and "numpy_pickle" in record.kind.module


def is_beside(record: Record) -> bool:
    """Returns whether a record stands for a joblib array whose elements are stored in another file."""
    return record.kind.name in ("NDArrayWrapper", "ZNDArrayWrapper") and "numpy_pickle" in record.kind.module


def from_stream(record: Record, machine: Machine) -> object:
    """Returns the array for a joblib record, with its elements read from the stream; afterwards the position is just past them."""
    shape, dtype, order = record.get("shape"), record.get("dtype"), record.get("order")
    if not isinstance(dtype, Dtype):
        raise Damaged("an array of joblib without its dtype")
    if dtype.objects:
        inner = Machine(machine.content, machine.at, machine.host)
        value = inner.load()
        machine.at = inner.at
        return value
    array = StoredArray()
    array.set(b"", dtype, shape, isinstance(order, str) and order == "F")
    if record.get("numpy_array_alignment_bytes") is not None:
        machine.take(machine.number("<B"))
    size = dtype.itemsize
    if size is None:
        raise Damaged(f"an array of joblib {dtype}: where it ends is not known here", "save its numbers alone")
    array.data = machine.take(math.prod(array.shape or ()) * size)
    return array


def from_beside(record: Record, read: Callable[[str], object]) -> object:
    """Returns the array for a joblib record, read from the file that it names: npy, or packed bytes with the shape in the record. `read`
    returns the content of a file.
    """
    name = text_of(record.get("filename"))
    if name is None:
        raise Damaged("an array of joblib without its file")
    content = read(name)
    if not isinstance(content, (bytes, memoryview)):
        return content
    state = record.get("state")
    if not isinstance(state, tuple) or len(state) != 4:
        raise Damaged("an array of joblib without its state")
    array = StoredArray()
    array.set_state((*state, content))
    return array


BLOCK = 1 << 14
"""Bytes passed to a decompressor at a time: it copies unused input at the end of each stream."""
CHUNK = 1 << 20
"""Maximum number of bytes that a decompressor returns at a time."""
DICTIONARY = 256 << 20
"""Memory limit for lzma in bytes; `xz -9` needs 65 MiB."""
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_OTHERS = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstandard", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR", b"\x1f\x9d": "compress"}
_OLD_JOBLIB = b"ZF"
_OLD_JOBLIB_HEAD = 21


class Decompressor(Protocol):
    """A decompressor for one stream, with the interface of those in bz2 and lzma."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Decompresses `data` and previously buffered data, to at most `max_length` bytes."""


class _Zlib:
    """zlib's and gzip's decompressor, which hands back what it has not used, as one that keeps it."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


_KINDS: tuple[tuple[tuple[bytes, ...], str, Callable[[], Decompressor]], ...] = (
    ((b"\x1f\x8b",), "gzip", lambda: _Zlib(31)),
    ((b"BZh",), "bzip2", bz2.BZ2Decompressor),
    ((b"\xfd7zXZ\x00", b"\x5d\x00\x00"), "xz", lambda: lzma.LZMADecompressor(memlimit=DICTIONARY)),
    (_ZLIB, "zlib", lambda: _Zlib(15)),
)


def unpacked(data: bytes, budget: Budget) -> tuple[bytes, int]:
    """Decompresses a file once. Returns the content and the number of trailing bytes that are not part of it.

    Returns the data unchanged if they are not compressed in a known way. Raises Damaged if they are damaged, too large, or compressed in a
    way that is not supported.
    """
    for magic, name in _OTHERS.items():
        if data.startswith(magic):
            raise Damaged(f"{name} packed it, which is not read here", "unpack it first, and pass the result")
    if data.startswith(_OLD_JOBLIB):
        start = _OLD_JOBLIB_HEAD + (data[_OLD_JOBLIB_HEAD : _OLD_JOBLIB_HEAD + 1] == b" ")
        return _streams(data, start, "joblib", lambda: _Zlib(15), _ZLIB, budget)
    for magics, name, make in _KINDS:
        if data.startswith(magics):
            return _streams(data, 0, name, make, magics, budget)
    return data, 0


def is_packed(data: bytes) -> bool:
    """Returns whether `unpacked` can decompress these data."""
    return data.startswith((_OLD_JOBLIB, *(magic for magics, _, _ in _KINDS for magic in magics)))


def _streams(
    data: bytes, start: int, name: str, make: Callable[[], Decompressor], magics: tuple[bytes, ...], budget: Budget
) -> tuple[bytes, int]:
    """Unpacks the streams that follow each other from `start`, with zeros between them (padding of xz and of tapes). Returns (the unpacked
    bytes, number of bytes behind the last stream).
    """
    out = io.BytesIO()
    view, at = memoryview(data), start
    try:
        while True:
            at = _stream(view, at, make(), out, budget)
            while at < len(data) and not data[at]:
                at += 1
            if name in ("zlib", "joblib") or not data.startswith(magics, at):
                return out.getvalue(), len(data) - at
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise Damaged(f"what {name} packed is damaged: {error}") from None


def _stream(view: memoryview, at: int, stream: Decompressor, out: io.BytesIO, budget: Budget) -> int:
    """Unpacks the stream that begins at `at` into `out`; returns the position at which it ends."""
    while not stream.eof:
        block = bytes(view[at : at + BLOCK])
        at += len(block)
        piece = stream.decompress(block, CHUNK)
        budget.unpack(len(piece))
        out.write(piece)
        while not stream.eof and len(piece) == CHUNK:
            piece = stream.decompress(b"", CHUNK)
            budget.unpack(len(piece))
            out.write(piece)
        if not block and not stream.eof:
            raise EOFError("it is cut off")
    return at - len(stream.unused_data)


ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
PICKLES = ("pkl", ".pickle", ".p", ".joblib", ".sav")
"""File name suffixes of pickles in archives."""
DEEPEST = 4
"""Maximum nesting depth of files inside files."""
ENTRIES = 100_000
"""Maximum number of files in an archive."""
_FOREIGN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, OSError, EOFError, RuntimeError, ValueError, TypeError, KeyError,
            IndexError, NotImplementedError, OverflowError, AttributeError)  # fmt: skip
"""Exceptions that libraries raise for a damaged file."""
Beside = Callable[[str], bytes]
"""Returns the content of the file with that name in the folder of the pickle."""


HEAD = hdf5.MOST_OFFSET + len(hdf5.MAGIC)
"""Number of bytes from the start of a file that `may_be_weights` needs."""


def may_be_weights(head: bytes) -> bool:
    """Returns whether a file that begins with `head` may have one of the formats. If not, the rest of it need not be read."""
    begins = (*ZIP, MAGIC, *_OTHERS)
    is_archive = head.startswith(begins) or head[257:262] == b"ustar" or is_packed(head) or hdf5.begins(head)
    return is_archive or ACTIONS[head[0]] is not None


def weights(data: bytes, path: str, beside: Beside | None = None) -> Contents:
    """Reads a weights file. Returns its numeric arrays, the objects left out, and the calls that a pickle in it would make.

    Raises UnreadableError for a file that has none of the formats, is damaged or exceeds a limit; UsageError if a package is missing.
    """
    reading = _Reading(path, Budget(len(data)), beside)
    try:
        if not data:
            raise Damaged("the file is empty", "name a file that a library wrote")
        roots = reading.file(data, "", 0)
        del data
        return collect(roots, reading)
    except TheanodiagError:
        raise
    except Damaged as error:
        raise UnreadableError(reading.kind_of_damage(str(error)), path=path, help=error.help) from None
    except (MemoryError, RecursionError) as error:
        raise UnreadableError(f"not enough memory: {type(error).__name__}", path=path, help="give it more memory") from None
    except _FOREIGN as error:
        message = f"{type(error).__name__}: {error}"[:300]
        raise UnreadableError(
            reading.kind_of_damage(message), path=path, help="download it again, or name a file that a library wrote"
        ) from None


class _Reading:
    """The state of reading one file."""

    def __init__(self, path: str, budget: Budget, beside: Beside | None) -> None:
        self.path = path
        self.budget = budget
        self.beside = beside
        self.kind = "pickle"
        self.arrays: list[StoredArray] = []
        self.members: dict[str, StoredArray] = {}
        self.left_out: list[LeftOut] = []
        self.calls: dict[tuple[str, str], PickledCall] = {}

    def kind_of_damage(self, message: str) -> str:
        """Returns a sentence that says what is wrong with the file."""
        return f"this is not a {self.kind}, or it is damaged: {message}"

    def leave(self, name: str, reason: str) -> None:
        """Records an object that is left out, with the reason."""
        self.left_out.append(LeftOut(name, reason))

    def file(self, data: bytes, name: str, depth: int) -> list[Root]:
        """Reads a file, or a file in an archive, and returns its root objects. The first bytes show the format; a file without a known
        format is read as a pickle. `name`: its name in the archive.
        """
        if depth > DEEPEST:
            raise Damaged(f"files in files, {DEEPEST} deep")
        if is_packed(data):
            content, behind = unpacked(data, self.budget)
            if behind:
                self.leave(name or "the end of the file", f"{behind} bytes after the packed data")
            return self.file(content, name, depth + 1)
        unpacked(data[:32], self.budget)  # says so where a tool packed it that is not known here
        if hdf5.begins(data):
            return self._hdf5(data, name)
        if data.startswith(ZIP):
            self.kind = "npz" if depth == 0 else self.kind
            return self._archive(_zip_entries(data, self.budget), name, depth)
        if data[257:262] == b"ustar":
            self.kind = "tar archive" if depth == 0 else self.kind
            return self._archive(_tar_entries(data, self.budget), name, depth)
        if data.startswith(MAGIC):
            self.kind = "npy file" if depth == 0 else self.kind
            return self._npy(data, name)
        return self.pickles(data, name)

    def _hdf5(self, data: bytes, name: str) -> list[Root]:
        self.kind = "HDF5"
        arrays, left = hdf5.datasets(data, self.budget)
        for path, reason in left:
            self.leave(f"{name}/{path}" if name else path, reason)
        return [Root(f"{name}/{path}" if name else path, array, member=True) for path, array in arrays]

    def _archive(self, entries: Iterator[tuple[str, bytes]], name: str, depth: int) -> list[Root]:
        """Reads the files of an archive: arrays first, because the archive's pickles refer to them by name."""
        arrays: list[Root] = []
        pickles: list[tuple[str, bytes]] = []
        for member, data in entries:
            inner = f"{name}/{member}" if name else member
            if data.startswith(MAGIC):
                plain = member[: -len(".npy")] if member.endswith(".npy") else member
                arrays += self._npy(data, f"{name}/{plain}" if name and name != "_parameters" else plain)
            elif data.startswith(ZIP) or hdf5.begins(data) or data[257:262] == b"ustar" or is_packed(data):
                arrays += self.file(data, inner, depth + 1)
            elif (on_gpu := self._of_gpu(data, inner)) is not None:
                arrays += on_gpu
            elif data.startswith(b"\x80") or member.endswith(PICKLES) or (data[:1] in (b"(", b"c", b"]") and data.endswith(b".")):
                pickles.append((inner, data))
            else:
                self.leave(inner, f"{len(data)} bytes that are not an array" if data else "empty")
        roots: list[Root] = []
        sure = [data.startswith(b"\x80") or inner.endswith(PICKLES) for inner, data in pickles]
        alone = sum(sure) == 1
        for (inner, data), certain in zip(pickles, sure):
            try:
                roots += self.pickles(data, "" if alone and certain else inner)
            except Damaged as error:
                if certain:
                    raise Damaged(f"{inner}: {error}", error.help) from None
                self.leave(inner, f"{len(data)} bytes that are not an array")  # a text may begin and end as a pickle does
        return [*roots, *arrays]

    def _of_gpu(self, data: bytes, inner: str) -> list[Root] | None:
        """Reads an array of libgpuarray: a pickle with the name of its context, followed by an npy file. None for other data."""
        at = data.find(MAGIC, 0, 1 << 12)
        return self._npy(data[at:], inner) if at > 0 and data[:1] == b"\x80" else None

    def _npy(self, data: bytes, name: str) -> list[Root]:
        """Reads one npy file, or several that follow each other."""
        roots: list[Root] = []
        at = 0
        while at < len(data):
            if not data.startswith(MAGIC, at):
                self.leave(name or "the end of the file", f"{len(data) - at} bytes after the array")
                break
            array, at = header(data, at)
            label = name if not roots else f"{name}[{len(roots)}]"
            if array.dtype.objects:
                more, at = self._one_pickle(data, at, label)
                roots += more
                continue
            at = elements(data, array, at)
            array.member = label
            self.members.setdefault(array.member, array)
            self.arrays.append(array)
            roots.append(Root(label, array, member=True))
        return roots

    def pickles(self, data: bytes, name: str) -> list[Root]:
        """Returns the root objects of pickles that follow each other in a file."""
        roots, at = list[Root](), 0
        first = True
        carriage = not data.startswith(b"\x80") and 0 < data.count(b"\n") == data.count(b"\r\n")  # a file that Windows opened for texts
        while at < len(data):
            try:
                more, at = self._one_pickle(data, at, name, carriage)
            except Damaged as error:
                if first or data[at:].strip(b"\x00\r\n"):
                    raise Damaged(str(error) if first else f"behind its {len(roots)} pickles: {error}", error.help) from None
                break
            first = False
            roots += more
        if len(roots) > 1:
            return [Root(f"{root.path}[{n}]", root.thing) for n, root in enumerate(roots)]
        return roots

    def _one_pickle(self, data: bytes, at: int, name: str, carriage: bool = False) -> tuple[list[Root], int]:
        host = _PickleHost(self, name)
        machine = Machine(data, at, host, carriage)
        thing = machine.load()
        return [Root(name, thing)], machine.at

    def inner_pickle(self, data: bytes, name: str) -> object:
        """Returns the object of a pickle that is stored as bytes in another pickle. Raises Damaged."""
        return Machine(data, 0, _PickleHost(self, name)).load()


class _PickleHost(PickleServices):
    """The services of a weights file for one pickle in it."""

    def __init__(self, reading: _Reading, inside: str) -> None:
        self.reading = reading
        self.inside = inside
        self.names = 0

    def step(self, count: int) -> None:
        self.reading.budget.step(count)

    def copied(self, count: int) -> None:
        self.reading.budget.unpack(count)

    def made(self, array: StoredArray) -> None:
        self.reading.arrays.append(array)

    def called(self, function: object, at: int) -> None:
        if isinstance(function, Global):
            self._judge(function, at, called=True)

    def named(self, name: Global, at: int) -> None:
        self._judge(name, at, called=False)

    def _judge(self, function: Global, at: int, called: bool) -> None:
        key = (str(function)[:200], self.inside)
        known = self.reading.calls.get(key)
        if known is not None and (known.called or not called):
            return
        call = judged(function, at, self.inside, called)
        if call is not None and len(self.reading.calls) < 1000:
            self.reading.calls[key] = call

    def persistent(self, pid: object) -> object:
        """Returns the array of the archive to which a pickle refers: Theano writes `ndarray.NAME`, Blocks `#KIND.NAME`."""
        if not isinstance(pid, str):
            return Record(Global("", "kept elsewhere"))
        at = -1
        for _ in range(20):
            if pid[at + 1 :] in self.reading.members:
                return self.reading.members[pid[at + 1 :]]
            at = pid.find(".", at + 1)
            if at < 0:
                break
        self.reading.leave(pid[:200], "the pickle says that it is in another file, which is missing")
        return Record(Global("", "kept elsewhere"))

    def built(self, record: Record, machine: Machine) -> object:
        """Reads the elements of a joblib array, which follow its object in the stream or are in a separate file."""
        if is_wrapper(record):
            value = from_stream(record, machine)
        elif is_beside(record):
            value = from_beside(record, self._beside)
        else:
            return record
        if isinstance(value, StoredArray):
            self.made(value)
        return value

    def _beside(self, name: str) -> object:
        """Reads the file `name` in the same folder: returns the array of an npy file, else the unpacked bytes."""
        reading = self.reading
        if reading.beside is None or self.inside or name in ("", ".", "..") or any(c in name for c in "/\\\0"):
            raise Damaged(f"its arrays are in other files, such as {name[:100]!r}", "name the file in its folder")
        data = reading.beside(name)
        reading.budget.unpack(len(data))
        if not data.startswith(MAGIC):
            return unpacked(data, reading.budget)[0]
        thing = reading._npy(data, name)[0].thing
        if isinstance(thing, StoredArray):
            thing.member = ""
        return thing


def _zip_entries(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yields (name, content) of the files in a zip archive. The sizes that its directory states are not trusted."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > ENTRIES:
            raise Damaged(f"an archive of {len(entries)} files")
        for entry in entries:
            if not entry.filename.endswith("/"):
                with archive.open(entry) as file:
                    yield entry.filename, _bounded(file.read, budget)


def _tar_entries(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Yields (name, content) of the regular files in a tar archive."""
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        for count, entry in enumerate(archive):
            if count > ENTRIES:
                raise Damaged(f"an archive of more than {ENTRIES} files")
            file = archive.extractfile(entry) if entry.isreg() else None
            if file is not None:
                content = _bounded(file.read, budget)
                if len(content) != entry.size:
                    raise EOFError(f"{entry.name}: cut off")
                yield entry.name, content


def _bounded(read: Callable[[int], bytes], budget: Budget) -> bytes:
    out = io.BytesIO()
    while piece := read(1 << 20):
        budget.unpack(len(piece))
        out.write(piece)
    return out.getvalue()
