"""Reads one file of weights: what it is, what it holds, file in file; nothing that it names is imported or called."""

from __future__ import annotations

import io
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from lzma import LZMAError

from ..errors import TheanodiagError, UnreadableError
from . import hdf5, npy, packed
from .budget import Budget, Damaged
from .calls import Call, judged
from .collect import Contents, LeftOut, Root, collect
from .joblib_arrays import from_beside, from_stream, is_beside, is_wrapper
from .machine import Host, Machine
from .objects import Array, Global, Record

ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
PICKLES = ("pkl", ".pickle", ".p", ".joblib", ".sav")
"""Ends of the names of pickles in archives."""
DEEPEST = 4
"""Files in files in files."""
ENTRIES = 100_000
"""Files in an archive."""
_FOREIGN = (zipfile.BadZipFile, tarfile.TarError, zlib.error, LZMAError, OSError, EOFError, RuntimeError, ValueError, TypeError, KeyError,
            IndexError, NotImplementedError, OverflowError, AttributeError)  # fmt: skip
"""What libraries raise of a damaged file."""
Beside = Callable[[str], bytes]
"""Reads a file of that name in the same folder."""


def weights(data: bytes, path: str, beside: Beside | None = None) -> Contents:
    """The arrays of numbers in a file, what was left out, and what a pickle in it would run.

    Raises UnreadableError for what is none of the formats, damaged, or asks for too much; UsageError where a package is missing.
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
        raise UnreadableError(f"it takes more than there is here: {type(error).__name__}", path=path, help="give it more memory") from None
    except _FOREIGN as error:
        said = f"{type(error).__name__}: {error}"[:300]
        raise UnreadableError(
            reading.kind_of_damage(said), path=path, help="fetch it once more, or name a file that a library wrote"
        ) from None


class _Reading:
    """What is known of a file while it is read."""

    def __init__(self, path: str, budget: Budget, beside: Beside | None) -> None:
        self.path = path
        self.budget = budget
        self.beside = beside
        self.kind = "pickle"
        self.made: list[Array] = []
        self.members: dict[str, Array] = {}
        self.left_out: list[LeftOut] = []
        self.calls: dict[tuple[str, str], Call] = {}

    def kind_of_damage(self, said: str) -> str:
        """One sentence for whatever is wrong."""
        return f"this is no {self.kind}, or a damaged one: {said}"

    def leave(self, name: str, reason: str) -> None:
        """Keeps what is left out."""
        self.left_out.append(LeftOut(name, reason))

    def file(self, data: bytes, name: str, depth: int) -> list[Root]:
        """What a file holds, by its first bytes; a pickle where these say nothing. `name` is that in an archive."""
        if depth > DEEPEST:
            raise Damaged(f"files in files, {DEEPEST} deep")
        if packed.is_packed(data):
            content, behind = packed.unpacked(data, self.budget)
            if behind:
                self.leave(name or "the end of the file", f"{behind} bytes behind what is packed")
            return self.file(content, name, depth + 1)
        packed.unpacked(data[:32], self.budget)  # says so where a tool packed it that is not known here
        if hdf5.begins(data):
            return self._hdf5(data, name)
        if data.startswith(ZIP):
            self.kind = "npz" if depth == 0 else self.kind
            return self._archive(_zip_entries(data, self.budget), name, depth)
        if data[257:262] == b"ustar":
            self.kind = "tar archive" if depth == 0 else self.kind
            return self._archive(_tar_entries(data, self.budget), name, depth)
        if data.startswith(npy.MAGIC):
            self.kind = "npy file" if depth == 0 else self.kind
            return self._npy(data, name)
        return self.pickles(data, name, 0)

    def _hdf5(self, data: bytes, name: str) -> list[Root]:
        self.kind = "HDF5"
        found, left = hdf5.datasets(data, self.budget)
        for path, reason in left:
            self.leave(f"{name}/{path}" if name else path, reason)
        return [Root(f"{name}/{path}" if name else path, array, member=True) for path, array in found]

    def _archive(self, entries: Iterator[tuple[str, bytes]], name: str, depth: int) -> list[Root]:
        """Arrays first: pickles in the archive name them."""
        arrays: list[Root] = []
        pickles: list[tuple[str, bytes]] = []
        for member, data in entries:
            inner = f"{name}/{member}" if name else member
            if data.startswith(npy.MAGIC):
                plain = member[: -len(".npy")] if member.endswith(".npy") else member
                arrays += self._npy(data, f"{name}/{plain}" if name and name != "_parameters" else plain)
            elif data.startswith(ZIP) or hdf5.begins(data) or data[257:262] == b"ustar" or packed.is_packed(data):
                arrays += self.file(data, inner, depth + 1)
            elif (on_gpu := self._of_gpu(data, inner)) is not None:
                arrays += on_gpu
            elif data.startswith(b"\x80") or member.endswith(PICKLES) or (data[:1] in (b"(", b"c", b"]") and data.endswith(b".")):
                pickles.append((inner, data))
            else:
                self.leave(inner, f"{len(data)} bytes that are no array" if data else "empty")
        found: list[Root] = []
        sure = [data.startswith(b"\x80") or inner.endswith(PICKLES) for inner, data in pickles]
        alone = sum(sure) == 1
        for (inner, data), certain in zip(pickles, sure):
            try:
                found += self.pickles(data, "" if alone and certain else inner, 0)
            except Damaged as error:
                if certain:
                    raise Damaged(f"{inner}: {error}", error.help) from None
                self.leave(inner, f"{len(data)} bytes that are no array")  # a text may begin and end as a pickle does
        return [*found, *arrays]

    def _of_gpu(self, data: bytes, inner: str) -> list[Root] | None:
        """An array of libgpuarray: the name of its context as a pickle, and behind it a npy file."""
        at = data.find(npy.MAGIC, 0, 1 << 12)
        return self._npy(data[at:], inner) if at > 0 and data[:1] == b"\x80" else None

    def _npy(self, data: bytes, name: str) -> list[Root]:
        """One npy file, or several, one behind the other."""
        found: list[Root] = []
        at = 0
        while at < len(data):
            if not data.startswith(npy.MAGIC, at):
                self.leave(name or "the end of the file", f"{len(data) - at} bytes behind the array")
                break
            array, at = npy.header(data, at)
            label = name if not found else f"{name}[{len(found)}]"
            if array.dtype.objects:
                roots, at = self._one_pickle(data, at, label)
                found += roots
                continue
            at = npy.elements(data, array, at)
            array.member = label
            self.members.setdefault(array.member, array)
            self.made.append(array)
            found.append(Root(label, array, member=True))
        return found

    def pickles(self, data: bytes, name: str, at: int) -> list[Root]:
        """The objects of pickles that follow each other in a file."""
        found: list[Root] = []
        first = True
        carriage = not data.startswith(b"\x80") and 0 < data.count(b"\n") == data.count(b"\r\n")  # a file that Windows opened for texts
        while at < len(data):
            try:
                roots, at = self._one_pickle(data, at, name, carriage)
            except Damaged as error:
                if first or data[at:].strip(b"\x00\r\n"):
                    raise Damaged(str(error) if first else f"behind its {len(found)} pickles: {error}", error.help) from None
                break
            first = False
            found += roots
        if len(found) > 1:
            return [Root(f"{root.path}[{n}]", root.thing) for n, root in enumerate(found)]
        return found

    def _one_pickle(self, data: bytes, at: int, name: str, carriage: bool = False) -> tuple[list[Root], int]:
        host = _PickleHost(self, name)
        machine = Machine(data, at, host, carriage)
        thing = machine.load()
        return [Root(name, thing)], machine.at

    def inner_pickle(self, data: bytes, name: str) -> object:
        """The object of a pickle that is kept as bytes in another. Raises Damaged."""
        return Machine(data, 0, _PickleHost(self, name)).load()


class _PickleHost(Host):
    """Serves one pickle."""

    def __init__(self, reading: _Reading, inside: str) -> None:
        self.reading = reading
        self.inside = inside
        self.names = 0

    def step(self, count: int) -> None:
        self.reading.budget.step(count)

    def copied(self, count: int) -> None:
        self.reading.budget.unpack(count)

    def made(self, array: Array) -> None:
        self.reading.made.append(array)

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
        """An array of the archive: Theano writes `ndarray.NAME`, Blocks `#KIND.NAME`."""
        if not isinstance(pid, str):
            return Record(Global("", "kept elsewhere"))
        at = -1
        for _ in range(20):
            if pid[at + 1 :] in self.reading.members:
                return self.reading.members[pid[at + 1 :]]
            at = pid.find(".", at + 1)
            if at < 0:
                break
        self.reading.leave(pid[:200], "the pickle says that another file holds it, which is not there")
        return Record(Global("", "kept elsewhere"))

    def built(self, record: Record, machine: Machine) -> object:
        """Arrays of joblib stand behind their object in the stream, or in files beside it."""
        if is_wrapper(record):
            made = from_stream(record, machine)
        elif is_beside(record):
            made = from_beside(record, self._beside)
        else:
            return record
        if isinstance(made, Array):
            self.made(made)
        return made

    def _beside(self, name: str) -> object:
        """The object in the npy file of that name in the same folder, or its bytes where it is none."""
        reading = self.reading
        if reading.beside is None or self.inside or name in ("", ".", "..") or any(c in name for c in "/\\\0"):
            raise Damaged(f"its arrays are in other files, such as {name[:100]!r}", "name the file in its folder")
        data = reading.beside(name)
        reading.budget.unpack(len(data))
        if not data.startswith(npy.MAGIC):
            return packed.unpacked(data, reading.budget)[0]
        thing = reading._npy(data, name)[0].thing
        if isinstance(thing, Array):
            thing.member = ""
        return thing


def _zip_entries(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in a zip archive. What their sizes are said to be is not believed."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > ENTRIES:
            raise Damaged(f"an archive of {len(entries)} files")
        for entry in entries:
            if not entry.filename.endswith("/"):
                with archive.open(entry) as file:
                    yield entry.filename, _bounded(file.read, budget)


def _tar_entries(data: bytes, budget: Budget) -> Iterator[tuple[str, bytes]]:
    """Names and contents of the files in a tar archive; links and devices are none."""
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
