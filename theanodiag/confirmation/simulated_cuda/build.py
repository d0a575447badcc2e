"""Builds the libraries of the simulated device with the machine's C compiler."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Union

from ...errors import TheanodiagError
from ...memory.settings import AddressPolicy
from ...units import GIB

SOURCES = Path(__file__).parent / "src"
"""The folder of the C sources."""
FLAGS = ("-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
"""Flags of the C compiler for every library."""
MANIFEST = "sha256.json"
"""File in a folder of built libraries with the SHA-256 of each; written last, so that a folder with it is complete."""
BUILDING = "building-"
"""Prefix of the temporary folders in which libraries are built."""
_OWN = "remove it, or set XDG_CACHE_HOME to a folder that only you may write to"
ABANDONED = 3600.0
"""Age in seconds from which a temporary folder is considered left over from a build that was killed."""
HIDDEN = ("-fvisibility=hidden",)
"""Flags that keep internal names from colliding with those of other libraries."""
PARTS = {
    "libcuda.so.1": (("settings.c", "memory.c", "device.c"), (*HIDDEN, "-Wl,-soname,libcuda.so.1", "-lpthread")),
    "libnvrtc.so": (("nvrtc.c",), HIDDEN),
    "libcublas.so": (("cublas.c",), HIDDEN),
    "libclient.so": (("client.c", "copies.c"), ("-ldl", "-lpthread")),
    "counted/libcuda.so": (("counted.c",), (*HIDDEN, "-Wl,--no-as-needed", "-L.", "-l:libcuda.so.1", "-ldl", "-lpthread")),
}
"""Library -> (its sources, further compiler flags); a later one may be linked with an earlier one."""


class CannotBuild(TheanodiagError):
    """Raised if there is no C compiler, the compiler fails, or the folder is not safe to load code from."""


@dataclass(frozen=True)
class Libraries:
    """A folder with the built libraries."""

    folder: Path

    @property
    def client(self) -> Path:
        """Path of the library that is preloaded before libgpuarray and counts its clients' buffers."""
        return self.folder / "libclient.so"

    @property
    def counted(self) -> Path:
        """Returns the folder of the library that stands in for a real driver, passes requests on to it, and counts what libgpuarray
        allocates from it.
        """
        return self.folder / "counted"


def build(folder: Path) -> Libraries:
    """Returns the folder of built libraries, in `folder`. Builds them unless the same sources were built there before. Raises
    `CannotBuild`.

    The script's process loads code from this folder. The folder must therefore belong to this user alone, and its files must have the
    digests stored when they were built.
    """
    target = folder / _fingerprint()
    folder.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(target):
        _require_own(target)
        if _whole(target):
            return Libraries(target)
    _tidy(folder)
    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder) as name:
        new_folder = Path(name, target.name)
        new_folder.mkdir(mode=0o700)
        Libraries(new_folder).counted.mkdir(mode=0o700)
        for library, (sources, flags) in PARTS.items():
            _compile(compiler, new_folder, library, sources, flags)
            (new_folder / library).chmod(0o600)
        (new_folder / "libcuda.so").symlink_to("libcuda.so.1")
        (new_folder / MANIFEST).write_text(json.dumps(_digests(new_folder)), encoding="utf-8")
        _move(new_folder, target, Path(name, "old"))
    return Libraries(target)


def _require_own(path: Path) -> None:
    """Raises CannotBuild where another user could have put code into `path`."""
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        reason = "is no folder"
    elif status.st_uid != os.geteuid():
        reason = "belongs to another user"
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        reason = "may be written by others"
    else:
        return
    raise CannotBuild(f"the cache {path} {reason}, and code would be loaded from it", help=_OWN)


def _digests(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in PARTS}


def _whole(folder: Path) -> bool:
    """Whether the folder has all libraries, with the digests that its manifest gives."""
    try:
        own = all(stat.S_ISREG((at := (folder / name).lstat()).st_mode) and at.st_uid == os.geteuid() for name in PARTS)
        linked = os.readlink(folder / "libcuda.so") == "libcuda.so.1"
        return own and linked and json.loads((folder / MANIFEST).read_text(encoding="utf-8")) == _digests(folder)
    except (OSError, ValueError):
        return False


def _tidy(folder: Path) -> None:
    """Removes temporary folders of builds that were killed."""
    for path in folder.glob(f"{BUILDING}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > ABANDONED:
                shutil.rmtree(path)


def _move(new_folder: Path, target: Path, old: Path) -> None:
    """Renames the new folder to `target`, which replaces an incomplete one; if another process was faster, its libraries are kept."""
    try:
        if os.path.lexists(target) and not _whole(target):
            target.rename(old)
        new_folder.rename(target)
    except OSError:
        if not _whole(target):
            raise


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.read_bytes())
    return f"virtual-device-{digest.hexdigest()[:16]}"


def _compiler() -> str:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        path = shutil.which(name) if name else None
        if path:
            return path
    raise CannotBuild("no C compiler was found", help="install gcc or clang, or set CC")


def _compile(compiler: str, folder: Path, library: str, sources: tuple[str, ...], flags: tuple[str, ...]) -> None:
    command = [compiler, *FLAGS, "-o", library, *(str(SOURCES / s) for s in sources), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode:
        raise CannotBuild(f"{library} of the simulated device could not be built:\n{done.stderr.strip()[-2000:]}")


THEANO_FLAGS = "device=cuda0,floatX=float32,blas.ldflags=,dnn.enabled=False"
"""Flags that make Theano use the simulated device: no BLAS on the host is needed to compile, and cuDNN is not simulated."""


@dataclass(frozen=True)
class VirtualDevice:
    """The properties of the simulated device; sizes in bytes."""

    total_bytes: int = 4 * GIB
    free_bytes: int | None = None
    """Bytes free once a context exists; None: `total_bytes` less 300 MiB."""
    policy: AddressPolicy = AddressPolicy.FIRST_FIT
    """Where the driver places a new block."""
    keep_contents: bool = True
    """Whether large arrays keep what was copied to them; if not, copies cost no time."""
    trace: Path | None = None
    """File to which every request is appended; None: no trace."""
    capability: tuple[int, int] | None = None
    """CUDA compute capability of the simulated device; None: 6.1."""

    def environment(self, libraries: Libraries, base: Mapping[str, str], flags: str = "") -> dict[str, str]:
        """Returns `base` with the variables and Theano's flags that make a process use the device; `flags` are appended to
        `THEANO_FLAGS`.
        """
        return {**self.variables(libraries, base), "THEANO_FLAGS": ",".join(part for part in (THEANO_FLAGS, flags) if part)}

    def variables(self, libraries: Libraries, base: Mapping[str, str]) -> dict[str, str]:
        """Returns `base` with the variables that make a process use the device, without Theano's flags."""
        settings = {
            "VIRTUAL_DEVICE_TOTAL": str(self.total_bytes),
            "VIRTUAL_DEVICE_ADDRESSES": self.policy.value,
            "VIRTUAL_DEVICE_NOCOPY": str(int(not self.keep_contents)),
            "LD_LIBRARY_PATH": _front(str(libraries.folder), base.get("LD_LIBRARY_PATH")),
            "LD_PRELOAD": _front(str(libraries.client), base.get("LD_PRELOAD")),
        }
        if self.free_bytes is not None:
            settings["VIRTUAL_DEVICE_FREE"] = str(self.free_bytes)
        if self.trace is not None:
            settings["VIRTUAL_DEVICE_TRACE"] = str(self.trace)
        if self.capability is not None:
            settings["VIRTUAL_DEVICE_CC"] = f"{self.capability[0]}{self.capability[1]}"
        return {**base, **settings}


def _front(path: str, others: str | None) -> str:
    return os.pathsep.join(part for part in (path, others) if part)


@dataclass(frozen=True)
class DriverAlloc:
    """A block that libgpuarray allocated from the driver."""

    address: int
    nbytes: int
    live: int
    """Bytes allocated from the driver after it."""


@dataclass(frozen=True)
class DriverFree:
    """A block of the driver that libgpuarray freed."""

    address: int
    nbytes: int
    live: int
    """Bytes allocated from the driver after it."""


@dataclass(frozen=True)
class DriverRefused:
    """A block that the driver refused because it is out of memory."""

    nbytes: int
    live: int


@dataclass(frozen=True)
class ClientAlloc:
    """A buffer that a client of libgpuarray allocated."""

    address: int
    requested: int
    """Bytes that the client requested."""
    held: int
    """Bytes that libgpuarray reserved for the request."""
    live: int
    """Bytes that all clients hold after it."""


@dataclass(frozen=True)
class ClientFree:
    """A buffer that a client of libgpuarray freed."""

    address: int
    held: int
    live: int


@dataclass(frozen=True)
class ClientRefused:
    """A client's request that libgpuarray refused because it is out of memory."""

    requested: int
    live: int


@dataclass(frozen=True)
class TraceMark:
    """A line that the traced program wrote itself by calling `virtual_mark`."""

    text: str


TraceEvent = Union[DriverAlloc, DriverFree, DriverRefused, ClientAlloc, ClientFree, ClientRefused, TraceMark]

READERS: dict[str, Callable[[list[str]], TraceEvent]] = {
    "alloc": lambda w: DriverAlloc(int(w[2], 16), int(w[3]), int(w[4])),
    "free": lambda w: DriverFree(int(w[2], 16), int(w[3]), int(w[4])),
    "oom": lambda w: DriverRefused(int(w[2]), int(w[3])),
    "galloc": lambda w: ClientAlloc(int(w[3], 16), int(w[4]), int(w[5]), int(w[6])),
    "gfree": lambda w: ClientFree(int(w[3], 16), int(w[4]), int(w[5])),
    "goom": lambda w: ClientRefused(int(w[2]), int(w[3])),
    "mark": lambda w: TraceMark(" ".join(w[1:])),
}
"""First word of a line -> parser of its words; lines with other first words are no events."""


def read_trace(path: Path) -> Iterator[TraceEvent]:
    """Yields the events of a trace file."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words and words[0] in READERS:
                yield READERS[words[0]](words)
